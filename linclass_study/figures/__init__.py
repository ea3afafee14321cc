"""One file is one figure: linclass_study.exhibits finds each module here that has a ``draw``."""
