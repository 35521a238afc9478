-- How N-Triples are written.
CREATE OR REPLACE TEMP MACRO data() AS 'https://w3id.org/kgscore/data/';
CREATE OR REPLACE TEMP MACRO node(iri) AS '<' || iri || '>';
CREATE OR REPLACE TEMP MACRO a() AS '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
CREATE OR REPLACE TEMP MACRO kgr(name) AS '<https://w3id.org/kgscore/run#' || name || '>';
CREATE OR REPLACE TEMP MACRO nif(name) AS '<http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#' || name || '>';
CREATE OR REPLACE TEMP MACRO own(id) AS 'https://w3id.org/kgscore/' || url_encode(id);
CREATE OR REPLACE TEMP MACRO words(value) AS
  '"' || replace(replace(replace(replace(value, '\', '\\'), '"', '\"'), chr(10), '\n'), chr(13), '\r') || '"';
CREATE OR REPLACE TEMP MACRO whole(value) AS '"' || value || '"^^<http://www.w3.org/2001/XMLSchema#integer>';
CREATE OR REPLACE TEMP MACRO double_of(value) AS '"' || value || '"^^<http://www.w3.org/2001/XMLSchema#double>';
CREATE OR REPLACE TEMP MACRO run_of(run) AS data() || 'run/' || run;
CREATE OR REPLACE TEMP MACRO case_of(run, id) AS run_of(run) || '/case/' || url_encode(coalesce(id, ''));
CREATE OR REPLACE TEMP MACRO report_of(run, id, report) AS case_of(run, id) || '/' || report;
CREATE OR REPLACE TEMP MACRO detail_of(category, value) AS data() || 'detail/' || url_encode(category) || '/' || url_encode(value);
CREATE OR REPLACE TEMP MACRO span_of(report, begin_char, end_char) AS report || '#char=' || begin_char || ',' || end_char;
-- Where the object is null there is no triple, nor where the property is not to be told: `told` and `untold` are lists, null if
-- all and if none.
CREATE OR REPLACE TEMP MACRO says(subject, property, object) AS
  CASE WHEN coalesce(list_contains(getvariable('told'), property), true)
    AND NOT coalesce(list_contains(getvariable('untold'), property), false)
  THEN coalesce('<' || subject || '> ' || property || ' ' || object || ' .' || chr(10), '') ELSE '' END;
CREATE OR REPLACE TEMP MACRO entity_relation(type) AS
  kgr(CASE type WHEN 'modify' THEN 'modifies' WHEN 'located_at' THEN 'locatedAt' WHEN 'suggestive_of' THEN 'suggestiveOf'
    ELSE 'associatedWith' END);
