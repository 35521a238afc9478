-- What became of each finding of a run ($run): one row a finding.
-- A contradiction counts before everything; a finding with credit agrees fully if one of its links does.
WITH clashes AS (
  SELECT DISTINCT position, 'reference' AS report, reference AS number FROM contradictions WHERE run = $run
  UNION
  SELECT DISTINCT position, 'candidate', candidate FROM contradictions WHERE run = $run
), credits AS (
  SELECT position, 'reference' AS report, reference AS number, max(weight) AS weight
  FROM pairs WHERE run = $run AND flow > 1e-9 GROUP BY ALL
  UNION ALL
  SELECT position, 'candidate', candidate, max(weight) FROM pairs WHERE run = $run AND flow > 1e-9 GROUP BY ALL
)
SELECT
  f.position, f.report, f.concept, f.label, f.status,
  CASE
    WHEN c.number IS NOT NULL THEN 'contradicted'
    WHEN u.finding IS NOT NULL AND f.report = 'reference' THEN 'missed'
    WHEN u.finding IS NOT NULL THEN 'invented'
    WHEN k.weight >= 1 - 1e-9 THEN 'agreed'
    WHEN k.weight IS NOT NULL THEN 'partial'
    ELSE 'shared'
  END AS verdict
FROM findings f
LEFT JOIN clashes c ON (c.position, c.report, c.number) = (f.position, f.report, f.number)
LEFT JOIN unmatched u ON u.run = f.run AND (u.position, u.report, u.finding) = (f.position, f.report, f.number)
LEFT JOIN credits k ON (k.position, k.report, k.number) = (f.position, f.report, f.number)
WHERE f.run = $run
ORDER BY f.position, f.report DESC, f.number
