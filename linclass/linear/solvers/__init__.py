"""Algorithms that minimize an objective: one solver, one file."""

SOLVERS = {
    "augmented_lagrangian": "linclass.linear.solvers.l1.augmented_lagrangian.AugmentedLagrangian",
    "finite_newton": "linclass.linear.solvers.hinge.finite_newton.FiniteNewton",
    "gradient_descent": "linclass.linear.solvers.smooth.gradient_descent.GradientDescent",
    "homotopy": "linclass.linear.solvers.l1.homotopy.Homotopy",
    "irls": "linclass.linear.solvers.smooth.irls.Irls",
    "least_squares": "linclass.linear.solvers.smooth.least_squares.LeastSquares",
    "linear_program": "linclass.linear.solvers.hinge.linear_program.LinearProgram",
    "multipliers": "linclass.linear.solvers.hinge.multipliers.Multipliers",
    "newton": "linclass.linear.solvers.smooth.newton.Newton",
    "newton_cg": "linclass.linear.solvers.smooth.newton_cg.NewtonCg",
    "pegasos": "linclass.linear.solvers.hinge.pegasos.Pegasos",
    "perceptron_rule": "linclass.linear.solvers.hinge.perceptron_rule.PerceptronRule",
    "proximal_gradient": "linclass.linear.solvers.l1.proximal_gradient.ProximalGradient",
    "proximal_newton": "linclass.linear.solvers.l1.proximal_newton.ProximalNewton",
    "quadratic_program": "linclass.linear.solvers.l1.quadratic_program.QuadraticProgram",
    "quasi_newton": "linclass.linear.solvers.smooth.quasi_newton.QuasiNewton",
    "semismooth_newton": "linclass.linear.solvers.hinge.semismooth_newton.SemismoothNewton",
    "stochastic_gradient": "linclass.linear.solvers.smooth.stochastic_gradient.StochasticGradient",
    "subgradient": "linclass.linear.solvers.hinge.subgradient.Subgradient",
}
