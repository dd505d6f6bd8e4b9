-- What the rules of schema/findings say of a run; as views.sql.

-- One row a finding, the worst of a run first; device NULL: the run.
DROP VIEW IF EXISTS v_finding;
CREATE VIEW v_finding AS
SELECT r.run_id,
	r.run_key AS run,
	f.number,
	f.rule,
	f.version,
	f.outcome,
	f.severity,
	f.title,
	d.name AS device,
	f.sentence,
	f.remedy,
	f.why,
	f.cost_gpu_s,
	f.coverage,
	f.stretches
FROM run r
JOIN finding f ON f.run_id = r.run_id
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- The numbers behind a finding.
DROP VIEW IF EXISTS v_finding_value;
CREATE VIEW v_finding_value AS
SELECT r.run_id,
	r.run_key AS run,
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
DROP VIEW IF EXISTS v_finding_phase;
CREATE VIEW v_finding_phase AS
SELECT r.run_id,
	r.run_key AS run,
	f.number AS finding,
	f.rule,
	d.name AS device,
	p.path AS phase,
	x.seconds
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_phase x ON x.run_id = f.run_id AND x.finding = f.number
JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device;

-- Its numbers of the time in which its conditions held in a phase.
DROP VIEW IF EXISTS v_finding_phase_value;
CREATE VIEW v_finding_phase_value AS
SELECT r.run_id,
	r.run_key AS run,
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
DROP VIEW IF EXISTS v_finding_meanwhile;
CREATE VIEW v_finding_meanwhile AS
SELECT r.run_id,
	r.run_key AS run,
	f.number AS finding,
	f.rule,
	x.stretch,
	x.metric,
	x.mean
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_meanwhile x ON x.run_id = f.run_id AND x.finding = f.number;

-- When a finding's conditions held, the costliest first.
DROP VIEW IF EXISTS v_finding_stretch;
CREATE VIEW v_finding_stretch AS
SELECT r.run_id,
	r.run_key AS run,
	f.number AS finding,
	f.rule,
	d.name AS device,
	x.number,
	AT(x.start_ns) AS start_at,
	x.start_s,
	x.seconds,
	x.gpu_seconds,
	p.path AS phase
FROM run r
JOIN finding f ON f.run_id = r.run_id
JOIN finding_stretch x ON x.run_id = f.run_id AND x.finding = f.number
LEFT JOIN device d ON d.run_id = f.run_id AND d.device = f.device
LEFT JOIN phase p ON p.run_id = x.run_id AND p.number = x.phase;
