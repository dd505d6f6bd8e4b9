-- What the rules of schema/findings say of a run; as views.sql.

-- One row a check that found something or could not run, the worst of a run first; device
-- NULL: the run. Of a finding only the costliest stretches are stored: its time is known where
-- these are all.
DROP VIEW IF EXISTS checks;
CREATE VIEW checks AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number,
	f.rule,
	f.version,
	f.outcome,
	f.severity,
	f.title,
	d.name AS device,
	f.sentence AS message,
	f.remedy AS advice,
	f.why,
	f.cost_gpu_s,
	(SELECT min(x.start_s) FROM finding_stretch x
		WHERE x.run_id = f.run_id AND x.finding = f.number
		HAVING count(*) = f.stretches) AS start_s,
	(SELECT sum(x.seconds) FROM finding_stretch x
		WHERE x.run_id = f.run_id AND x.finding = f.number
		HAVING count(*) = f.stretches) AS duration_s,
	f.stretches AS stretch_count,
	f.coverage,
	CASE WHEN d.kind = 'gpu' THEN d.name END AS gpu,
	f.cost_gpu_s / 3600 AS cost_gpu_h,
	(SELECT v.value FROM finding_value v
		WHERE v.run_id = f.run_id AND v.finding = f.number AND v.name = 'energy'
			AND v.unit = 'Wh') AS cost_energy_wh,
	(SELECT max(x.start_s + x.seconds) FROM finding_stretch x
		WHERE x.run_id = f.run_id AND x.finding = f.number
		HAVING count(*) = f.stretches) AS end_s,
	(SELECT p.path FROM finding_phase x
		JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase
		WHERE x.run_id = f.run_id AND x.finding = f.number
		ORDER BY x.seconds DESC, p.number DESC LIMIT 1) AS phase
FROM run r
JOIN finding f ON f.run_id = r.run_id
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- The checks that found something.
DROP VIEW IF EXISTS findings;
CREATE VIEW findings AS
SELECT run_id,
	run,
	path,
	number,
	rule,
	severity,
	title,
	device,
	message,
	advice,
	cost_gpu_s,
	start_s,
	duration_s,
	stretch_count,
	coverage,
	gpu,
	cost_gpu_h,
	cost_energy_wh,
	end_s,
	phase
FROM checks
WHERE outcome = 'fires';

-- Numbers that may be wrong: of the summary, and of metrics of devices.
DROP VIEW IF EXISTS doubts;
CREATE VIEW doubts AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	k.name AS source,
	d.name AS device,
	x.name,
	x.why
FROM run r
JOIN doubt x ON x.run_id = r.run_id
LEFT JOIN source_kind k ON k.id = x.source
LEFT JOIN device d ON d.run_id = x.run_id AND d.device = x.device;

-- The numbers of a finding.
DROP VIEW IF EXISTS finding_values;
CREATE VIEW finding_values AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number AS finding,
	f.rule,
	d.name AS device,
	v.name,
	v.value,
	v.unit
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_value v ON v.run_id = f.run_id AND v.finding = f.number
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- In which phases a finding's conditions held.
DROP VIEW IF EXISTS finding_phases;
CREATE VIEW finding_phases AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number AS finding,
	f.rule,
	d.name AS device,
	p.path AS phase,
	x.seconds AS duration_s
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_phase x ON x.run_id = f.run_id AND x.finding = f.number
JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- Its numbers of the time in which its conditions held in a phase.
DROP VIEW IF EXISTS finding_phase_values;
CREATE VIEW finding_phase_values AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number AS finding,
	f.rule,
	d.name AS device,
	p.path AS phase,
	v.name,
	x.value,
	v.unit
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_phase_value x ON x.run_id = f.run_id AND x.finding = f.number
JOIN finding_value v ON v.run_id = x.run_id AND v.finding = x.finding AND v.number = x.number
JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- What hosts did in a finding's stretches.
DROP VIEW IF EXISTS finding_hosts;
CREATE VIEW finding_hosts AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number AS finding,
	f.rule,
	x.stretch,
	x.metric,
	x.mean
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_meanwhile x ON x.run_id = f.run_id AND x.finding = f.number;

-- When a finding's conditions held, the costliest first.
DROP VIEW IF EXISTS finding_stretches;
CREATE VIEW finding_stretches AS
SELECT r.run_id,
	r.run_key AS run,
	r.path,
	f.number AS finding,
	f.rule,
	d.name AS device,
	x.number,
	AT(x.start_ns) AS start_at,
	x.start_s,
	x.seconds AS duration_s,
	x.gpu_seconds AS gpu_s,
	p.path AS phase
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_stretch x ON x.run_id = f.run_id AND x.finding = f.number
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device
LEFT JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase;
