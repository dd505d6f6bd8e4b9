-- Schema 12: how much of a steady state the log says something of.

-- Share of the GPUs' time from from_ns to to_ns, 0 to 1; NULL: it can't be told.
ALTER TABLE run_steady ADD COLUMN coverage REAL;
