-- Schema 11: the energy that GPUs count themselves.

ALTER TABLE gpu_field_sample ADD COLUMN gpu_energy_j REAL;
