"""A library that is slow to import."""

import time

from odd_estimators import Fine

time.sleep(60)
__all__ = ["Fine"]
