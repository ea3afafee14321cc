"""One file is one figure: linclass_study.report.exhibits finds each module here that has a ``draw``."""
