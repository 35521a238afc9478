-- The tables of a run folder. `position` counts the records of the input from 0; `id` is the record's own.
-- Offsets are characters (code points) into the report as given; an end is exclusive.
CREATE TABLE IF NOT EXISTS layout (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  run INTEGER PRIMARY KEY, started TIMESTAMP NOT NULL, finished TIMESTAMP,
  input VARCHAR NOT NULL, input_hash VARCHAR NOT NULL, profile VARCHAR NOT NULL, metrics VARCHAR[] NOT NULL,
  signature VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS modules (run INTEGER NOT NULL, name VARCHAR NOT NULL, hash VARCHAR NOT NULL, path VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, status VARCHAR NOT NULL, reason VARCHAR NOT NULL,
  place VARCHAR NOT NULL, reference VARCHAR, candidate VARCHAR, fields JSON NOT NULL,
  reference_read BOOLEAN NOT NULL, candidate_read BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS findings (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, report VARCHAR NOT NULL, number INTEGER NOT NULL,
  text VARCHAR, start_char INTEGER, end_char INTEGER, concept VARCHAR, label VARCHAR, sites VARCHAR[], side VARCHAR,
  status VARCHAR, certainty VARCHAR, details STRUCT(category VARCHAR, value VARCHAR, text VARCHAR)[], change VARCHAR,
  alternatives VARCHAR[], restricted BOOLEAN, tip VARCHAR[], section VARCHAR, both_sides BOOLEAN, words VARCHAR[]
);
CREATE TABLE IF NOT EXISTS entities (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, report VARCHAR NOT NULL, number INTEGER NOT NULL,
  text VARCHAR, start_char INTEGER, end_char INTEGER, type VARCHAR, concept VARCHAR
);
CREATE TABLE IF NOT EXISTS entity_relations (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, report VARCHAR NOT NULL, number INTEGER NOT NULL,
  source INTEGER, target INTEGER, type VARCHAR
);
CREATE TABLE IF NOT EXISTS unlinked (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, report VARCHAR NOT NULL, number INTEGER NOT NULL,
  text VARCHAR, start_char INTEGER, end_char INTEGER
);
CREATE TABLE IF NOT EXISTS pairs (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, number INTEGER NOT NULL,
  reference INTEGER, candidate INTEGER, relation VARCHAR, anatomy VARCHAR, finding VARCHAR, detail VARCHAR,
  weight DOUBLE, flow DOUBLE, anatomy_depth INTEGER, finding_depth INTEGER, proof VARCHAR[]
);
CREATE TABLE IF NOT EXISTS contradictions (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, number INTEGER NOT NULL,
  reference INTEGER, candidate INTEGER, relation VARCHAR, anatomy VARCHAR, finding VARCHAR, detail VARCHAR,
  weight DOUBLE, flow DOUBLE, anatomy_depth INTEGER, finding_depth INTEGER, proof VARCHAR[]
);
CREATE TABLE IF NOT EXISTS unmatched (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, report VARCHAR NOT NULL, number INTEGER NOT NULL,
  finding INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS scores (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, number INTEGER NOT NULL,
  metric VARCHAR NOT NULL, status VARCHAR NOT NULL, value DOUBLE, reason VARCHAR, parts MAP(VARCHAR, DOUBLE)
);
CREATE TABLE IF NOT EXISTS corrections (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, number INTEGER NOT NULL,
  line INTEGER, action VARCHAR, severity INTEGER, categories INTEGER[], radevalx INTEGER[], comment VARCHAR,
  old_text VARCHAR, new_text VARCHAR, proof VARCHAR[],
  candidate_start INTEGER, candidate_end INTEGER, reference_start INTEGER, reference_end INTEGER
);
CREATE TABLE IF NOT EXISTS failures (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, place VARCHAR NOT NULL, reason VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS contributions (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, number INTEGER NOT NULL, metric VARCHAR NOT NULL,
  kind VARCHAR NOT NULL, what VARCHAR NOT NULL, reference INTEGER, candidate INTEGER,
  reference_start INTEGER, reference_end INTEGER, candidate_start INTEGER, candidate_end INTEGER,
  credit DOUBLE, cost DOUBLE, because VARCHAR[]
);
CREATE TABLE IF NOT EXISTS concepts (
  run INTEGER NOT NULL, concept VARCHAR NOT NULL, label VARCHAR NOT NULL, kind VARCHAR NOT NULL, region VARCHAR,
  severity INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ancestors (run INTEGER NOT NULL, concept VARCHAR NOT NULL, ancestor VARCHAR NOT NULL);
COMMENT ON TABLE runs IS 'one row a run; finished is null while it is not';
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
COMMENT ON TABLE failures IS 'one row a failed record';
COMMENT ON TABLE corrections IS 'one row a correction of FineRadScore: line, severity and categories; there if that metric was asked for';
COMMENT ON TABLE contributions IS 'one row a piece of a score: credits add up to it, costs to what lacks to the best where that is known';
COMMENT ON TABLE concepts IS 'one row a concept of the ontology as the run knew it; region is null where none is implied';
COMMENT ON TABLE ancestors IS 'one row a concept and a class above it (itself too): climb the hierarchy by joining on ancestor';
