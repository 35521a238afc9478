-- What people ask of a run, ready made, and what a row of each table and view is. Made anew whenever a folder is opened for writing.
CREATE OR REPLACE VIEW failures AS
SELECT run, position, id, place, reason FROM cases WHERE status = 'failed';

CREATE OR REPLACE VIEW errors AS
SELECT run, position, id, number, what, category, tier, actionable, e.dimension, e.major, e.share, e.because
FROM (SELECT *, unnest(errors) AS e FROM judged);

CREATE OR REPLACE VIEW finding_outcomes AS
WITH links AS (
  SELECT run, position, 'reference' AS report, reference AS number, sum(flow) AS credit, max(weight) AS best
  FROM pairs GROUP BY ALL
  UNION ALL
  SELECT run, position, 'candidate', candidate, sum(flow), max(weight) FROM pairs GROUP BY ALL
), clashes AS (
  -- A finding that the other report denies is missed or invented, whichever side the words of it are on.
  SELECT run, position, unnest(['reference', 'candidate']) AS report, unnest([k.reference, k.candidate]) AS number,
    CASE WHEN (r.status = 'present') = (c.status = 'present') THEN 'wrong' WHEN r.status = 'present' THEN 'missed'
      ELSE 'invented' END AS outcome
  FROM contradictions k
  JOIN findings r USING (run, position) JOIN findings c USING (run, position)
  WHERE (r.report, r.number, c.report, c.number) = ('reference', k.reference, 'candidate', k.candidate)
), clashed AS (
  SELECT run, position, report, number, max(outcome) AS outcome FROM clashes GROUP BY ALL
), places AS (
  -- The region of a finding is that of the first of its sites that has one, else that of its concept.
  SELECT run, position, report, number, first(c.region ORDER BY place) AS region
  FROM (SELECT run, position, report, number, unnest(sites) AS site, generate_subscripts(sites, 1) AS place FROM findings)
  JOIN concepts c USING (run) WHERE c.concept = site AND c.region IS NOT NULL GROUP BY ALL
), tiers AS (
  -- What the verdict says of a finding; the gravest errors come first.
  SELECT run, position, report, number, max(tier) AS tier, first(category ORDER BY nth) AS category FROM (
    SELECT run, position, 'reference' AS report, unnest(reference) AS number, tier, category, number AS nth FROM judged
    UNION ALL
    SELECT run, position, 'candidate', unnest(candidate), tier, category, number FROM judged
  ) GROUP BY ALL
)
SELECT f.run, f.position, f.id, k.fields->>'modality' AS modality, f.report, f.number, f.concept, f.label,
  coalesce(p.region, c.region, 'unplaced') AS region,
  coalesce(if(f.status = 'present', t.tier, NULL), c.severity, 2) AS severity, f.status = 'present' AS asserted,
  f.side,
  coalesce(t.category, CASE
    WHEN l.number IS NOT NULL THEN if(l.best >= 1, 'correct', 'minor')
    WHEN x.number IS NOT NULL THEN x.outcome
    ELSE if(f.report = 'reference', 'missed', 'invented')
  END) AS outcome,
  CASE
    WHEN l.number IS NOT NULL THEN if(l.best >= 1, 'matched', 'partial')
    WHEN x.number IS NOT NULL THEN 'contradicted'
    ELSE if(f.report = 'reference', 'missed', 'invented')
  END AS matching,
  coalesce(l.credit, 0) AS credit, f.text, f.start_char, f.end_char
FROM findings f
JOIN cases k ON (k.run, k.position) = (f.run, f.position)
LEFT JOIN concepts c ON (c.run, c.concept) = (f.run, f.concept)
LEFT JOIN places p ON (p.run, p.position, p.report, p.number) = (f.run, f.position, f.report, f.number)
LEFT JOIN links l ON (l.run, l.position, l.report, l.number) = (f.run, f.position, f.report, f.number)
LEFT JOIN clashed x ON (x.run, x.position, x.report, x.number) = (f.run, f.position, f.report, f.number)
LEFT JOIN tiers t ON (t.run, t.position, t.report, t.number) = (f.run, f.position, f.report, f.number)
WHERE k.status = 'scored';

CREATE OR REPLACE VIEW case_overview AS
SELECT k.run, k.position, k.id, k.fields->>'modality' AS modality, k.status, k.reason,
  coalesce(f.in_reference, 0) AS in_reference, coalesce(f.in_candidate, 0) AS in_candidate, coalesce(f.correct, 0) AS correct,
  coalesce(f.minor, 0) AS minor, coalesce(f.wrong, 0) AS wrong, coalesce(f.missed, 0) AS missed,
  coalesce(f.invented, 0) AS invented, s.scores, k.fields, coalesce(f.matched, 0) AS matched,
  coalesce(f.partial, 0) AS partial, coalesce(f.contradicted, 0) AS contradicted
FROM cases k
LEFT JOIN (
  SELECT run, position, count(*) FILTER (report = 'reference') AS in_reference, count(*) FILTER (report = 'candidate') AS in_candidate,
    count(*) FILTER (report = 'reference' AND outcome = 'correct') AS correct,
    count(*) FILTER (report = 'reference' AND outcome = 'minor') AS minor,
    count(*) FILTER (report = 'reference' AND outcome = 'wrong') AS wrong,
    count(*) FILTER (report = 'reference' AND outcome = 'missed') AS missed,
    count(*) FILTER (report = 'candidate' AND outcome = 'invented') AS invented,
    count(*) FILTER (report = 'reference' AND matching = 'matched') AS matched,
    count(*) FILTER (report = 'reference' AND matching = 'partial') AS partial,
    count(*) FILTER (matching = 'contradicted') AS contradicted
  FROM finding_outcomes GROUP BY ALL
) f ON (f.run, f.position) = (k.run, k.position)
LEFT JOIN (SELECT run, position, map_from_entries(list((metric, value) ORDER BY number)) AS scores FROM scores GROUP BY ALL) s
  ON (s.run, s.position) = (k.run, k.position);

CREATE OR REPLACE VIEW case_scores AS
SELECT s.run, s.position, s.id, k.fields->>'modality' AS modality, s.metric, s.status, s.value, s.reason, k.fields
FROM scores s JOIN cases k ON (k.run, k.position) = (s.run, s.position);

CREATE OR REPLACE VIEW by_concept AS
SELECT run, concept, label, asserted, max(severity) AS severity, count(*) FILTER (report = 'reference') AS in_reference,
  count(*) FILTER (report = 'candidate') AS in_candidate,
  count(*) FILTER (report = 'reference' AND outcome = 'correct') AS correct,
  count(*) FILTER (report = 'reference' AND outcome = 'minor') AS minor,
  count(*) FILTER (report = 'reference' AND outcome = 'missed') AS missed,
  count(*) FILTER (report = 'candidate' AND outcome = 'invented') AS invented,
  count(*) FILTER (report = 'reference' AND outcome = 'wrong') AS wrong_in_reference,
  count(*) FILTER (report = 'candidate' AND outcome = 'wrong') AS wrong_in_candidate,
  count(*) FILTER (report = 'reference' AND matching = 'matched') AS matched,
  count(*) FILTER (report = 'reference' AND matching = 'partial') AS partial,
  count(*) FILTER (report = 'reference' AND matching = 'contradicted') AS contradicted_in_reference,
  count(*) FILTER (report = 'candidate' AND matching = 'contradicted') AS contradicted_in_candidate,
  sum(credit) FILTER (report = 'reference') / nullif(count(*) FILTER (report = 'reference'), 0) AS recall,
  sum(credit) FILTER (report = 'candidate') / nullif(count(*) FILTER (report = 'candidate'), 0) AS precision
FROM finding_outcomes GROUP BY run, concept, label, asserted;

CREATE OR REPLACE VIEW by_region AS
SELECT run, region, severity, asserted, count(*) FILTER (report = 'reference') AS in_reference,
  count(*) FILTER (report = 'candidate') AS in_candidate,
  count(*) FILTER (report = 'reference' AND outcome = 'correct') AS correct,
  count(*) FILTER (report = 'reference' AND outcome = 'minor') AS minor,
  count(*) FILTER (report = 'reference' AND outcome = 'missed') AS missed,
  count(*) FILTER (report = 'candidate' AND outcome = 'invented') AS invented,
  count(*) FILTER (report = 'reference' AND outcome = 'wrong') AS wrong_in_reference,
  count(*) FILTER (report = 'candidate' AND outcome = 'wrong') AS wrong_in_candidate,
  count(*) FILTER (report = 'reference' AND matching = 'matched') AS matched,
  count(*) FILTER (report = 'reference' AND matching = 'partial') AS partial,
  count(*) FILTER (report = 'reference' AND matching = 'contradicted') AS contradicted_in_reference,
  count(*) FILTER (report = 'candidate' AND matching = 'contradicted') AS contradicted_in_candidate,
  sum(credit) FILTER (report = 'reference') / nullif(count(*) FILTER (report = 'reference'), 0) AS recall,
  sum(credit) FILTER (report = 'candidate') / nullif(count(*) FILTER (report = 'candidate'), 0) AS precision
FROM finding_outcomes GROUP BY run, region, severity, asserted;

CREATE OR REPLACE VIEW links AS
SELECT l.run, l.position, l.id, r.concept AS reference_concept, r.label AS reference_label, c.concept AS candidate_concept,
  c.label AS candidate_label, l.relation, l.anatomy, l.finding, l.detail, l.weight, l.flow, r.text AS reference_text,
  c.text AS candidate_text, l.reference, l.candidate, l.proof
FROM (SELECT * FROM pairs UNION ALL BY NAME SELECT * FROM contradictions) l
JOIN findings r ON (r.run, r.position, r.report, r.number) = (l.run, l.position, 'reference', l.reference)
JOIN findings c ON (c.run, c.position, c.report, c.number) = (l.run, l.position, 'candidate', l.candidate);

CREATE OR REPLACE VIEW relation_labels AS
SELECT run, relation, anatomy, finding, detail, count(*) AS links, avg(weight) AS mean_weight, sum(flow) AS credit
FROM links GROUP BY run, relation, anatomy, finding, detail;

CREATE OR REPLACE VIEW concept_confusion AS
SELECT run, reference_concept, reference_label, candidate_concept, candidate_label, relation, count(*) AS links,
  avg(weight) AS mean_weight, sum(flow) AS credit
FROM links WHERE reference_concept IS DISTINCT FROM candidate_concept OR relation = 'contradiction' GROUP BY ALL;

CREATE OR REPLACE VIEW relation_confusion AS
-- Two runs of one input: what one calls a pair of findings against what the other calls it; 'none': no link there.
WITH same AS (
  SELECT one.run AS run, other.run AS other_run FROM runs one JOIN runs other
  ON one.input_hash = other.input_hash AND one.run <> other.run
), told AS (SELECT run, position, reference, candidate, reference_text, candidate_text, min(relation) AS relation FROM links GROUP BY ALL),
a AS (SELECT same.*, told.* EXCLUDE (run) FROM same JOIN told USING (run)),
b AS (SELECT same.*, told.* EXCLUDE (run) FROM same JOIN told ON told.run = same.other_run)
SELECT coalesce(a.run, b.run) AS run, coalesce(a.other_run, b.other_run) AS other_run,
  coalesce(a.relation, 'none') AS relation, coalesce(b.relation, 'none') AS other_relation, count(*) AS links
FROM a FULL JOIN b
  ON (a.run, a.other_run, a.position, a.reference, a.candidate, a.reference_text, a.candidate_text)
   = (b.run, b.other_run, b.position, b.reference, b.candidate, b.reference_text, b.candidate_text)
GROUP BY ALL;

CREATE OR REPLACE VIEW case_costs AS
SELECT t.run, t.position, t.id, t.metric, t.number,
  CASE t.kind WHEN 'matched' THEN 'correct' WHEN 'partial' THEN 'minor' WHEN 'contradicted' THEN 'wrong' ELSE t.kind END AS kind,
  t.what, coalesce(r.report, c.report) AS report,
  coalesce(r.concept, c.concept) AS concept, coalesce(r.label, c.label) AS label, coalesce(r.region, c.region, 'unplaced') AS region,
  coalesce(r.severity, c.severity) AS severity, coalesce(r.asserted, c.asserted) AS asserted, t.credit, t.cost, t.because,
  t.reference_start, t.reference_end, t.candidate_start, t.candidate_end
FROM contributions t
LEFT JOIN finding_outcomes r ON (r.run, r.position, r.report, r.number) = (t.run, t.position, 'reference', t.reference)
LEFT JOIN finding_outcomes c ON (c.run, c.position, c.report, c.number) = (t.run, t.position, 'candidate', t.candidate);

CREATE OR REPLACE VIEW cost_decomposition AS
SELECT d.run, d.metric, d.kind, d.region, d.severity, d.asserted, count(*) AS pieces, sum(d.credit) AS credit, sum(d.cost) AS cost,
  sum(d.cost) / any_value(n.scored) AS cost_per_case
FROM case_costs d
JOIN (SELECT run, metric, count(*) AS scored FROM scores WHERE status = 'scored' GROUP BY ALL) n USING (run, metric)
GROUP BY d.run, d.metric, d.kind, d.region, d.severity, d.asserted;

COMMENT ON VIEW case_overview IS 'one row a case: its findings by outcome, and all its scores';
COMMENT ON VIEW case_scores IS 'one row a case and metric, with modality and the further columns of the input';
COMMENT ON VIEW finding_outcomes IS 'one row a finding of a scored case: region, severity (that of the verdict where there is one), outcome (correct, minor, missed, invented, wrong: that of the verdict where there is one, else of the matching); matching holds the words of version 0.2 until 0.4.0';
COMMENT ON VIEW by_concept IS 'one row a concept, asserted or denied: how often it is said, found, missed, invented; recall and precision by credit';
COMMENT ON VIEW by_region IS 'one row a region of the body and severity: as by_concept';
COMMENT ON VIEW links IS 'one row a link or contradiction, with the concepts and words of both findings';
COMMENT ON VIEW relation_labels IS 'one row a combination of relation labels: how many links have it, and their credit';
COMMENT ON VIEW concept_confusion IS 'one row a pair of different or contradicting concepts that were linked: what is taken for what';
COMMENT ON VIEW relation_confusion IS 'one row a pair of labels that two runs of one input give the same findings';
COMMENT ON VIEW case_costs IS 'one row a piece of a score, with concept, region and severity';
COMMENT ON VIEW cost_decomposition IS 'one row a metric, kind, region and severity: the credit and cost that it makes';
COMMENT ON VIEW failures IS 'one row a failed record';
COMMENT ON VIEW errors IS 'one row an error of a finding: dimension, major or minor, the share of the finding''s weight it costs, and why';
COMMENT ON TABLE runs IS 'one row a run; finished is null while it is not';
COMMENT ON TABLE readers IS 'one row a run: the reader that it was scored with, by name or as the path of a model';
COMMENT ON TABLE modules IS 'one row an ontology module of the user that a run was scored with, and where it lay then';
COMMENT ON TABLE cases IS 'one row a record of the input; fields holds its further columns as JSON (fields->>''modality'')';
COMMENT ON TABLE scores IS 'one row a case and metric; value is null unless status is scored';
COMMENT ON TABLE findings IS 'one row a finding of a report; report is reference or candidate';
COMMENT ON TABLE pairs IS 'one row a kept link of a reference and a candidate finding (by number), with its credit (flow)';
COMMENT ON TABLE contradictions IS 'one row a pair of findings that cannot both be true';
COMMENT ON TABLE unmatched IS 'one row a finding without a link: of the reference, missed; of the candidate, invented';
COMMENT ON TABLE unlinked IS 'one row a phrase that no concept covers';
COMMENT ON TABLE entities IS 'one row a HeadCT-ONE-style entity';
COMMENT ON TABLE entity_relations IS 'one row a HeadCT-ONE-style relation between entities (by number)';
COMMENT ON TABLE corrections IS 'one row a correction of FineRadScore: line, severity and categories; there if that metric was asked for';
COMMENT ON TABLE contributions IS 'one row a piece of a score: credits add up to it, costs to what lacks to the best where that is known';
COMMENT ON TABLE verdicts IS 'one row a case: the clinical verdict in a sentence, and of each assertion of the candidate its tier and whether it is right but for minor errors; there if clinical was asked for';
COMMENT ON TABLE judged IS 'one row a finding of the clinical verdict, the gravest errors first: category correct, minor, wrong, missed, invented; tier 1 routine to 4 critical; reference and candidate: numbers of findings';
COMMENT ON TABLE concepts IS 'one row a concept of the ontology as the run knew it; region is null where none is implied';
COMMENT ON TABLE ancestors IS 'one row a concept and a class above it (itself too): climb the hierarchy by joining on ancestor';
