-- Sums over all cases of a run ($run), as N-Triples, so that questions about a whole run need not walk every case.

-- statements by side, concept, polarity and what became of them
SELECT concat(
  says(s, a(), kgr('StatementTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSide'), words(report)),
  says(s, kgr('ofConcept'), node(coalesce(iri, own(concept)))), says(s, kgr('polarity'), words(polarity)),
  says(s, kgr('outcome'), words(outcome)), says(s, kgr('times'), whole(times)), says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/statement/' || row_number() OVER (ORDER BY report, concept, polarity, outcome) AS s
  FROM (
    SELECT report, concept, CASE status WHEN 'present' THEN 'asserted' ELSE 'denied' END AS polarity,
      CASE WHEN u.finding IS NULL THEN CASE WHEN scored THEN 'matched' ELSE 'unscored' END
        WHEN c.finding IS NOT NULL THEN c.became WHEN report = 'reference' THEN 'missed' ELSE 'invented' END AS outcome,
      count(*) AS times, count(DISTINCT position) AS cases
    FROM (SELECT position, report, number AS finding, concept, status FROM findings WHERE run = $run AND concept IS NOT NULL)
    JOIN (SELECT position, status = 'scored' AS scored FROM cases WHERE run = $run) USING (position)
    LEFT JOIN (SELECT DISTINCT position, report, finding FROM unmatched WHERE run = $run) u USING (position, report, finding)
    LEFT JOIN (
      -- What one report asserts and the other denies is missed or invented; two assertions that clash are wrong.
      SELECT position, report, finding, max(became) AS became FROM (
        SELECT k.position, unnest(['reference', 'candidate']) AS report, unnest([k.reference, k.candidate]) AS finding,
          CASE WHEN (one.status = 'present') = (two.status = 'present') THEN 'wrong' WHEN one.status = 'present' THEN 'missed'
            ELSE 'invented' END AS became
        FROM (FROM contradictions WHERE run = $run) k
        JOIN (FROM findings WHERE run = $run) one ON (one.position, one.report, one.number) = (k.position, 'reference', k.reference)
        JOIN (FROM findings WHERE run = $run) two ON (two.position, two.report, two.number) = (k.position, 'candidate', k.candidate)
      ) GROUP BY ALL
    ) c USING (position, report, finding)
    GROUP BY ALL
  )
)
LEFT JOIN nodes ON nodes.id = concept;

-- asserted findings by site
SELECT concat(
  says(s, a(), kgr('SiteTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSide'), words(report)),
  says(s, kgr('ofConcept'), node(coalesce(one.iri, own(concept)))), says(s, kgr('atSite'), node(coalesce(two.iri, own(site)))),
  says(s, kgr('times'), whole(times)), says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/site/' || row_number() OVER (ORDER BY report, concept, site) AS s
  FROM (
    SELECT report, concept, site, count(*) AS times, count(DISTINCT position) AS cases
    FROM (
      SELECT position, report, concept, unnest(sites) AS site
      FROM findings WHERE run = $run AND concept IS NOT NULL AND status = 'present'
    )
    GROUP BY ALL
  )
)
LEFT JOIN nodes one ON one.id = concept LEFT JOIN nodes two ON two.id = site;

-- asserted findings of one report, two by two
SELECT concat(
  says(s, a(), kgr('CoOccurrenceTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSide'), words(report)),
  says(s, kgr('ofConcept'), node(coalesce(one.iri, own(first)))), says(s, kgr('withConcept'), node(coalesce(two.iri, own(second)))),
  says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/co-occurrence/' || row_number() OVER (ORDER BY report, first, second) AS s
  FROM (
    WITH said AS (
      SELECT DISTINCT position, report, concept FROM findings WHERE run = $run AND concept IS NOT NULL AND status = 'present'
    )
    SELECT report, l.concept AS first, r.concept AS second, count(*) AS cases
    FROM said l JOIN said r USING (position, report) WHERE l.concept < r.concept GROUP BY ALL
  )
)
LEFT JOIN nodes one ON one.id = first LEFT JOIN nodes two ON two.id = second;

-- entities and their relations
SELECT concat(
  says(s, a(), kgr('EntityTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSide'), words(report)),
  says(s, kgr('ofType'), words(type)), says(s, kgr('ofConcept'), node(coalesce(iri, own(concept)))),
  says(s, kgr('times'), whole(times)), says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/entity/' || row_number() OVER (ORDER BY report, type, concept) AS s
  FROM (
    SELECT report, type, concept, count(DISTINCT (position, start_char, end_char)) AS times, count(DISTINCT position) AS cases
    FROM entities WHERE run = $run GROUP BY ALL
  )
)
LEFT JOIN nodes ON nodes.id = concept;

SELECT concat(
  says(s, a(), kgr('EntityRelationTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSide'), words(report)),
  says(s, kgr('ofConcept'), node(coalesce(one.iri, own(first)))), says(s, kgr('ofRelation'), entity_relation(type)),
  says(s, kgr('withConcept'), node(coalesce(two.iri, own(second)))), says(s, kgr('times'), whole(times)),
  says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/entity-relation/' || row_number() OVER (ORDER BY report, first, type, second) AS s
  FROM (
    SELECT l.report, l.type, a.concept AS first, b.concept AS second,
      count(DISTINCT (l.position, a.start_char, a.end_char, b.start_char, b.end_char)) AS times, count(DISTINCT l.position) AS cases
    FROM (FROM entity_relations WHERE run = $run) l
    JOIN (FROM entities WHERE run = $run) a ON (a.position, a.report, a.number) = (l.position, l.report, l.source)
    JOIN (FROM entities WHERE run = $run) b ON (b.position, b.report, b.number) = (l.position, l.report, l.target)
    GROUP BY ALL
  )
)
LEFT JOIN nodes one ON one.id = first LEFT JOIN nodes two ON two.id = second;

-- corrections by severity and action
SELECT concat(
  says(s, a(), kgr('CorrectionTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofSeverity'), whole(severity)),
  says(s, kgr('ofAction'), words(action)), says(s, kgr('times'), whole(times)), says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT severity, action, count(*) AS times, count(DISTINCT position) AS cases,
    run_of($run) || '/tally/correction/' || severity || '-' || action AS s
  FROM corrections WHERE run = $run GROUP BY severity, action
);

-- scores by metric, over all cases and by modality
SELECT concat(
  says(s, a(), kgr('ScoreTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofMetric'), words(metric)),
  says(s, kgr('ofModality'), words(modality)), says(s, kgr('times'), whole(times)), says(s, kgr('mean'), double_of(mean)),
  says(s, kgr('least'), double_of(least)), says(s, kgr('greatest'), double_of(greatest))
)
FROM (
  SELECT metric, modality, count(value) AS times, avg(value) AS mean, min(value) AS least, max(value) AS greatest,
    run_of($run) || '/tally/score/' || url_encode(metric) || coalesce('/' || url_encode(modality), '') AS s
  FROM (
    SELECT metric, value, CASE WHEN json_type(fields, '$.modality') = 'VARCHAR' THEN nullif(fields->>'modality', '') END AS modality
    FROM scores JOIN (SELECT position, fields, reference FROM cases WHERE run = $run) USING (position)
    WHERE run = $run AND reference IS NOT NULL
  )
  GROUP BY GROUPING SETS ((metric), (metric, modality)) HAVING modality IS NOT NULL OR grouping(modality) = 1
);

-- what matched findings say differently: certainty, change over time, details by category; a value that is not said is left out
SELECT concat(
  says(s, a(), kgr('DifferenceTally')), says(s, kgr('tallyOf'), node(run_of($run))), says(s, kgr('ofAspect'), words(aspect)),
  says(s, kgr('ofCategory'), words(category)), says(s, kgr('referenceValue'), words(one)), says(s, kgr('candidateValue'), words(two)),
  says(s, kgr('times'), whole(times)), says(s, kgr('cases'), whole(cases))
)
FROM (
  SELECT *, run_of($run) || '/tally/difference/' || row_number() OVER (ORDER BY aspect, category, one, two) AS s
  FROM (
    WITH said AS (
      SELECT position, report, number, certainty, nullif(change, '') AS change,
        list_distinct(list_transform(details, lambda d: {'category': d.category, 'value': d.value})) AS details
      FROM findings WHERE run = $run
    ), linked AS (
      SELECT DISTINCT position, reference, candidate FROM pairs WHERE run = $run
    ), matched AS (
      SELECT l.position, r.certainty AS one_certainty, c.certainty AS two_certainty, r.change AS one_change, c.change AS two_change,
        r.details AS one_details, c.details AS two_details
      FROM linked l
      JOIN said r ON (r.position, r.report, r.number) = (l.position, 'reference', l.reference)
      JOIN said c ON (c.position, c.report, c.number) = (l.position, 'candidate', l.candidate)
    ), details AS (
      SELECT position, list_filter(one_details, lambda d: NOT list_contains(two_details, d)) AS mine,
        list_filter(two_details, lambda d: NOT list_contains(one_details, d)) AS theirs,
        list_transform(one_details, lambda d: d.category) AS my_categories,
        list_transform(two_details, lambda d: d.category) AS their_categories
      FROM matched WHERE len(one_details) > 0 OR len(two_details) > 0
    )
    SELECT aspect, category, one, two, count(*) AS times, count(DISTINCT position) AS cases
    FROM (
      SELECT position, 'certainty' AS aspect, NULL AS category, one_certainty AS one, two_certainty AS two
      FROM matched WHERE one_certainty <> two_certainty
      UNION ALL
      SELECT position, 'change', NULL, one_change, two_change FROM matched WHERE one_change IS DISTINCT FROM two_change
      UNION ALL
      SELECT position, 'detail', one.category, one.value, two.value
      FROM (SELECT position, one, unnest(theirs) AS two FROM (SELECT position, theirs, unnest(mine) AS one FROM details))
      WHERE one.category = two.category
      UNION ALL
      SELECT position, 'detail', one.category, one.value, NULL
      FROM (SELECT position, their_categories, unnest(mine) AS one FROM details) WHERE NOT list_contains(their_categories, one.category)
      UNION ALL
      SELECT position, 'detail', two.category, NULL, two.value
      FROM (SELECT position, my_categories, unnest(theirs) AS two FROM details) WHERE NOT list_contains(my_categories, two.category)
    )
    GROUP BY ALL
  )
);
