-- The tables of a run folder. `position` counts the records of the input from 0; `id` is the record's own.
-- Offsets are characters (code points) into the report as given; an end is exclusive.
CREATE TABLE IF NOT EXISTS layout (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  run INTEGER PRIMARY KEY, started TIMESTAMP NOT NULL, finished TIMESTAMP,
  input VARCHAR NOT NULL, input_hash VARCHAR NOT NULL, profile VARCHAR NOT NULL, metrics VARCHAR[] NOT NULL,
  signature VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS cases (
  run INTEGER NOT NULL, position INTEGER NOT NULL, id VARCHAR, status VARCHAR NOT NULL, reason VARCHAR NOT NULL,
  place VARCHAR NOT NULL, reference VARCHAR, candidate VARCHAR,
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
