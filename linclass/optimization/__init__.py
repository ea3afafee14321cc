"""What solvers share: points of an objective, derivatives, certificates, linear systems."""
