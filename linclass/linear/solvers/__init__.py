"""Solvers by name."""

SOLVERS = {
    "augmented_lagrangian": "linclass.linear.solvers.augmented_lagrangian.AugmentedLagrangian",
    "finite_newton": "linclass.linear.solvers.finite_newton.FiniteNewton",
    "gradient_descent": "linclass.linear.solvers.first_order.GradientDescent",
    "homotopy": "linclass.linear.solvers.homotopy.Homotopy",
    "irls": "linclass.linear.solvers.irls.Irls",
    "least_squares": "linclass.linear.solvers.least_squares.LeastSquares",
    "linear_program": "linclass.linear.solvers.linear_program.LinearProgram",
    "multipliers": "linclass.linear.solvers.multipliers.Multipliers",
    "newton": "linclass.linear.solvers.newton.Newton",
    "newton_cg": "linclass.linear.solvers.newton_cg.NewtonCg",
    "perceptron_rule": "linclass.linear.solvers.perceptron_rule.PerceptronRule",
    "proximal_gradient": "linclass.linear.solvers.proximal_gradient.ProximalGradient",
    "proximal_newton": "linclass.linear.solvers.proximal_newton.ProximalNewton",
    "quadratic_program": "linclass.linear.solvers.quadratic_program.QuadraticProgram",
    "quasi_newton": "linclass.linear.solvers.quasi_newton.QuasiNewton",
    "semismooth_newton": "linclass.linear.solvers.augmented_lagrangian.SemismoothNewton",
    "stochastic_gradient": "linclass.linear.solvers.first_order.StochasticGradient",
    "subgradient": "linclass.linear.solvers.first_order.Subgradient",
}
