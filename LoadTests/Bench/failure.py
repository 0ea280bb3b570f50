"""A failure that ends one measurement, as one line for the table. The other measurements continue."""


class BenchFailure(Exception):
    pass
