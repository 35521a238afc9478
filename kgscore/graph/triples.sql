-- What the tables of a run say, as N-Triples: each SELECT gives texts of whole lines. `nodes` (id, iri) holds the concepts that the
-- schema names; $run is the run's number, positions run from $first up to but not including $last.

-- cases, and the reports that were read; a record that could not be used (it has no text) is no case: its id may be another's
SELECT concat(
  says(s, a(), kgr('Case')), says(s, kgr('case'), words(coalesce(id, ''))), says(s, kgr('inRun'), node(run_of(run))),
  says(s, kgr('status'), words(status)), says(s, kgr('reason'), words(nullif(reason, ''))),
  says(s, kgr('modality'), words(nullif(modality, '')))
)
FROM (
  SELECT *, case_of(run, id) AS s, CASE WHEN json_type(fields, '$.modality') = 'VARCHAR' THEN fields->>'modality' END AS modality
  FROM cases WHERE run = $run AND position >= $first AND position < $last AND reference IS NOT NULL
);

SELECT concat(
  says(s, a(), kgr('Report')), says(s, kgr('case'), words(coalesce(id, ''))), says(s, kgr('side'), words(report)),
  says(s, kgr('inCase'), node(case_of(run, id))), says(s, kgr('inRun'), node(run_of(run)))
)
FROM (
  SELECT *, report_of(run, id, report) AS s
  FROM cases, (VALUES ('reference'), ('candidate')) AS sides(report)
  WHERE run = $run AND position >= $first AND position < $last AND reference IS NOT NULL
    AND CASE report WHEN 'reference' THEN reference_read ELSE candidate_read END
);

-- statements
SELECT concat(
  says(s, a(), kgr('Statement')), says(s, kgr('inReport'), node(r)), says(s, kgr('number'), whole(number)),
  says(s, nif('beginIndex'), whole(start_char)), says(s, nif('endIndex'), whole(end_char)), says(s, kgr('text'), words(text)),
  says(s, kgr('status'), words(status)), says(s, kgr('certainty'), words(certainty)),
  says(s, kgr('unlinked'), words(CASE WHEN concept IS NULL THEN label END)),
  says(s, kgr(CASE WHEN status = 'present' THEN 'asserts' ELSE 'denies' END), node(coalesce(iri, own(concept)))),
  says(s, kgr('laterality'), words(nullif(side, ''))), says(s, kgr('change'), words(nullif(change, ''))),
  says(s, kgr('section'), words(nullif(section, ''))),
  says(s, kgr('restricted'), CASE WHEN restricted THEN '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>' END)
)
FROM (
  SELECT *, report_of(run, id, report) AS r, report_of(run, id, report) || '/' || number AS s
  FROM findings WHERE run = $run AND position >= $first AND position < $last
)
LEFT JOIN nodes ON nodes.id = concept;

SELECT says(report_of(run, f.id, report) || '/' || number, kgr(property), node(coalesce(iri, own(place))))
FROM (
  SELECT run, id, report, number, unnest(sites) AS place, 'site' AS property
  FROM findings WHERE run = $run AND position >= $first AND position < $last
  UNION ALL
  SELECT run, id, report, number, unnest(tip), 'tip'
  FROM findings WHERE run = $run AND position >= $first AND position < $last
  UNION ALL
  SELECT run, id, report, number, unnest(alternatives), 'alternative'
  FROM findings WHERE run = $run AND position >= $first AND position < $last
) f LEFT JOIN nodes ON nodes.id = place;

SELECT says(report_of(run, id, report) || '/' || number, kgr('detail'), node(detail_of(detail.category, detail.value)))
FROM (
  SELECT run, id, report, number, unnest(details) AS detail
  FROM findings WHERE run = $run AND position >= $first AND position < $last
);

SELECT concat(
  says(s, a(), kgr('Detail')), says(s, kgr('category'), words(category)), says(s, kgr('value'), words(value)),
  says(s, kgr('concept'), node(iri))
)
FROM (
  SELECT DISTINCT detail.category AS category, detail.value AS value, detail_of(detail.category, detail.value) AS s
  FROM (SELECT unnest(details) AS detail FROM findings WHERE run = $run AND position >= $first AND position < $last)
) LEFT JOIN nodes ON nodes.id = value;

-- entities: the span itself
SELECT concat(
  says(s, kgr('entityType'), words(type)), says(s, kgr('concept'), node(coalesce(iri, own(concept)))),
  says(s, nif('referenceContext'), node(r)), says(s, nif('anchorOf'), words(text))
)
FROM (
  SELECT *, report_of(run, id, report) AS r, span_of(report_of(run, id, report), start_char, end_char) AS s
  FROM entities WHERE run = $run AND position >= $first AND position < $last
)
LEFT JOIN nodes ON nodes.id = concept;

SELECT says(
  span_of(report_of(l.run, l.id, l.report), one.start_char, one.end_char),
  entity_relation(l.type),
  node(span_of(report_of(l.run, l.id, l.report), two.start_char, two.end_char))
)
FROM (FROM entity_relations WHERE run = $run AND position >= $first AND position < $last) l
JOIN (FROM entities WHERE run = $run AND position >= $first AND position < $last) one
  ON (one.position, one.report, one.number) = (l.position, l.report, l.source)
JOIN (FROM entities WHERE run = $run AND position >= $first AND position < $last) two
  ON (two.position, two.report, two.number) = (l.position, l.report, l.target);

SELECT concat(
  says(r, kgr('unlinkedSpan'), node(s)), says(s, nif('referenceContext'), node(r)), says(s, nif('anchorOf'), words(text))
)
FROM (
  SELECT text, report_of(run, id, report) AS r, span_of(report_of(run, id, report), start_char, end_char) AS s
  FROM unlinked WHERE run = $run AND position >= $first AND position < $last
);

-- matches, and what is missed and invented
SELECT concat(
  says(s, a(), kgr('Match')), says(s, a(), CASE WHEN relation = 'contradiction' THEN kgr('Contradiction') END),
  says(s, kgr('inCase'), node(case_of(run, id))), says(s, kgr('reference'), node(one)), says(s, kgr('candidate'), node(two)),
  says(s, kgr('relation'), words(relation)), says(s, kgr('onAnatomy'), words(nullif(anatomy, ''))),
  says(s, kgr('onFinding'), words(nullif(finding, ''))), says(s, kgr('onDetail'), words(nullif(detail, ''))),
  says(s, kgr('weight'), double_of(weight)), says(s, kgr('flow'), double_of(flow)),
  says(s, kgr('proof'), words(nullif(array_to_string(proof, chr(10)), ''))),
  says(one, CASE relation WHEN 'equivalent' THEN kgr('equivalentTo') WHEN 'part_whole' THEN kgr('partWholeOf')
    WHEN 'contradiction' THEN kgr('contradicts') END, node(two))
)
FROM (
  SELECT *, report_of(run, id, 'reference') || '/' || reference AS one, report_of(run, id, 'candidate') || '/' || candidate AS two,
    case_of(run, id) || '/match/' || (row_number() OVER (PARTITION BY position ORDER BY kind, number) - 1) AS s
  FROM (
    SELECT *, 1 AS kind FROM pairs WHERE run = $run AND position >= $first AND position < $last
    UNION ALL
    SELECT *, 2 AS kind FROM contradictions WHERE run = $run AND position >= $first AND position < $last
  )
);

SELECT CASE report
  WHEN 'reference' THEN says(report_of(run, id, report) || '/' || finding, kgr('missedFrom'), node(report_of(run, id, 'candidate')))
  ELSE says(report_of(run, id, report) || '/' || finding, kgr('notIn'), node(report_of(run, id, 'reference')))
END
FROM unmatched WHERE run = $run AND position >= $first AND position < $last;

-- the same finding, or a kind of it, on the other side
WITH lone AS (
  SELECT f.position, f.id, f.report, f.number, f.side, coalesce(iri, own(concept)) AS iri
  FROM (FROM findings WHERE run = $run AND position >= $first AND position < $last) f
  SEMI JOIN (FROM unmatched WHERE run = $run AND position >= $first AND position < $last) u
    ON (u.position, u.report, u.finding) = (f.position, f.report, f.number)
  LEFT JOIN nodes ON nodes.id = concept
  WHERE status = 'present' AND side <> '' AND concept IS NOT NULL
)
SELECT says(
  report_of($run, c.id, c.report) || '/' || c.number, kgr('otherSideOf'), node(report_of($run, r.id, r.report) || '/' || r.number)
)
FROM lone r JOIN lone c ON r.position = c.position AND r.report = 'reference' AND c.report = 'candidate' AND r.side <> c.side
WHERE r.iri = c.iri OR EXISTS (FROM kinds WHERE (kinds.iri = r.iri AND above = c.iri) OR (kinds.iri = c.iri AND above = r.iri));

-- scores and corrections
SELECT concat(
  says(s, a(), kgr('Score')), says(s, kgr('inCase'), node(c)), says(s, kgr('case'), words(coalesce(id, ''))),
  says(s, kgr('metric'), words(metric)), says(s, kgr('status'), words(status)), says(s, kgr('value'), double_of(value))
)
FROM (
  SELECT scores.*, case_of(run, scores.id) AS c, case_of(run, scores.id) || '/score/' || metric AS s
  FROM scores JOIN cases USING (run, position)
  WHERE run = $run AND position >= $first AND position < $last AND cases.reference IS NOT NULL
);

SELECT concat(
  says(s, a(), kgr('Correction')), says(s, kgr('inCase'), node(case_of(run, id))), says(s, kgr('action'), words(action)),
  says(s, kgr('severity'), whole(severity)), says(s, kgr('comment'), words(comment)), says(s, kgr('line'), whole(line)),
  says(s, kgr('oldText'), words(nullif(old_text, ''))), says(s, kgr('newText'), words(nullif(new_text, ''))),
  says(s, kgr('proof'), words(nullif(array_to_string(proof, chr(10)), ''))),
  says(s, kgr('span'), node(span_of(report_of(run, id, 'candidate'), candidate_start, candidate_end))),
  says(s, kgr('span'), node(span_of(report_of(run, id, 'reference'), reference_start, reference_end))),
  array_to_string(list_transform(
    CASE WHEN len(radevalx) > 0 THEN radevalx ELSE categories END, lambda c: says(s, kgr('errorCategory'), whole(c))
  ), '')
)
FROM (
  SELECT *, case_of(run, id) || '/correction/' || number AS s
  FROM corrections WHERE run = $run AND position >= $first AND position < $last
);
