"""What `transform` returns: an array, or the data frame that `set_output` or scikit-learn's configuration asks for.

scikit-learn enhancement proposal 18 (SLEP018), "Pandas output for transformers with set_output"
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

from linclass.base.arrays import MatrixLike


class SetsOutput:
    """Mixin of what has `transform` and `get_feature_names_out`."""

    _sklearn_auto_wrap_output_keys = ("transform",)
    get_feature_names_out: Callable[..., Any]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `transform` and `fit_transform` return.

        Parameters
        ----------
        transform : {'default', 'pandas', 'polars'} or None, default=None
            'default' is a NumPy array, the others are data frames; None changes nothing.

        Returns
        -------
        self
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(
                f"transform is {transform!r}; it must be 'default', 'pandas' or 'polars'."
            )
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _asks_for_frame(self) -> bool:
        if "sklearn" not in sys.modules:  # so nobody asked
            return False
        from sklearn.utils._set_output import _get_output_config

        return bool(_get_output_config("transform", self)["dense"] != "default")

    def _as_asked_for(self, columns: Any, X: MatrixLike) -> Any:
        """The columns, an array or by name, that were computed from X."""
        if not self._asks_for_frame():
            return columns
        from sklearn.utils._set_output import _wrap_data_with_container

        return _wrap_data_with_container("transform", columns, X, self)
