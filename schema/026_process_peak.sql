-- Schema 26: the most memory that one process has had.

-- The kernel's high-water mark of resident memory, the largest of those that are there (MiB).
ALTER TABLE tree_detail_sample ADD COLUMN process_peak_mib REAL;
