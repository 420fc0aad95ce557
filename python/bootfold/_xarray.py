"""DataArrays and Datasets of xarray as arrays and tables, of Dask if they are."""

from __future__ import annotations

from typing import Any


def values_of(data: Any, dim: Any, axis: int | None) -> tuple[Any, int | None]:
    """The data with rows along the first axis, and the axis if each other place is a data set."""
    if axis is not None:
        raise TypeError(f"axis is {axis} but data of xarray have names of dimensions; give dim=")
    dims = list(data.dims)
    if dim is None and len(dims) == 1:
        dim = dims[0]
    if dim not in dims:
        told = "is not given" if dim is None else f"is {dim!r}"
        raise ValueError(
            f"dim {told} but must be the dimension of the rows; the dimensions are "
            + ", ".join(map(str, dims))
        )
    if not hasattr(data, "data_vars"):
        return data.transpose(dim, ...).data, None if data.ndim == 1 else 0
    names = list(data.data_vars)
    for name in names:
        if data[name].dims != (dim,):
            raise ValueError(
                f"variable {name!r} has the dimensions {', '.join(map(str, data[name].dims))}, but "
                f"the variables of a Dataset are columns with rows along {dim!r}; choose those "
                "that are, or give one variable, which may have more"
            )
    if data.chunks:
        return data.to_dask_dataframe()[names], None
    return data.to_dataframe()[names], None
