-- Schema 4: what is made of a value over time: growth and slope of memory.

-- Of metrics of memory; in a phase NULL. In the metric's unit: the last value less the
-- first, and what it rises by in an hour (Theil-Sen).
ALTER TABLE metric_summary ADD COLUMN growth REAL;
ALTER TABLE metric_summary ADD COLUMN slope_per_h REAL;
ALTER TABLE phase_metric ADD COLUMN growth REAL;
ALTER TABLE phase_metric ADD COLUMN slope_per_h REAL;
