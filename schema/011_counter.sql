-- Schema 11: the energy that GPUs count themselves; which energy is that of its GPU.

ALTER TABLE gpu_field_sample ADD COLUMN gpu_energy_j REAL;

-- 1: this is the energy of the GPU, there or in the phase; 0: that of another metric is.
ALTER TABLE metric_summary ADD COLUMN energy_chosen INTEGER;
ALTER TABLE phase_metric ADD COLUMN energy_chosen INTEGER;

-- So far it was that of power, of the query log where that has one.
UPDATE metric_summary SET energy_chosen = metric = 'power_w' AND source = (
	SELECT min(m.source) FROM metric_summary m
	WHERE m.run_id = metric_summary.run_id AND m.device = metric_summary.device
		AND m.metric = 'power_w' AND m.energy_j IS NOT NULL)
WHERE energy_j IS NOT NULL;
UPDATE phase_metric SET energy_chosen = metric = 'power_w' AND source = (
	SELECT min(m.source) FROM phase_metric m
	WHERE m.run_id = phase_metric.run_id AND m.phase = phase_metric.phase
		AND m.device = phase_metric.device
		AND m.metric = 'power_w' AND m.energy_j IS NOT NULL)
WHERE energy_j IS NOT NULL;
