"""The exception of carom."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._run import Run


class CaromError(ValueError):
    """Wrong input, or the reason why there is no answer.

    kind: one of a closed list: shape, not_finite, out_of_range, not_symmetric, not_positive, missing, unsupported, overflow,
        unknown_name, unknown_key, duplicate_key, wrong_type, conflict, syntax, model, file, simulation, cluster and others of the
        law.
    field: the argument or key that is wrong, a dotted path such as `friction.dynamic`; None if there is none.
    line: the line of the document or robot file, from 1; None if not known.
    row: the row of a batch, from 0; None outside batches.
    run: the run up to the failure, for a simulation that could not go on; None otherwise.
    """

    kind: str
    field: str | None
    line: int | None
    row: int | None
    run: Run | None

    def __init__(
        self,
        message: str,
        kind: str = "wrong_type",
        field: str | None = None,
        line: int | None = None,
        row: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.field = field
        self.line = line
        self.row = row
        self.run = None

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.kind, self.field, self.line, self.row))
