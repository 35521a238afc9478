SELECT levenshtein(repeat('a', 2000000), repeat('b', 2000000))
SELECT damerau_levenshtein(repeat('a', 60000), repeat('b', 60000))
SELECT repeat('a', 2000000000)
SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3
SELECT list(a.range) FROM range(200000000) a
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r
WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || s FROM r) SELECT max(length(s)) FROM r
SELECT count(DISTINCT md5(range::VARCHAR)) FROM range(500000000)
SELECT string_agg(range::VARCHAR, ',') FROM range(300000000)
SELECT regexp_matches(repeat('a', 30000000), '(a|aa)*(a|aa)*(a|aa)*b')
SELECT sum(levenshtein(a.text, b.text)) FROM (SELECT repeat(md5(range::VARCHAR), 40) AS text FROM range(3000)) a, (SELECT repeat(md5(range::VARCHAR), 40) AS text FROM range(3000)) b
SELECT jaro_winkler_similarity(repeat('ab', 4000000), repeat('ba', 4000000))
SELECT jaccard(repeat('abcdefgh', 100000000), repeat('h', 100000000))
SELECT list_sort(list_transform(range(100000000), lambda x: x * 7919 % 104729))
SELECT list_reduce(range(100000000), lambda x, y: (x * y) % 1000003)
SELECT len(string_split(repeat('a,', 200000000), ','))
SELECT * FROM range(1000000000) ORDER BY hash(range) LIMIT 5
SELECT row_number() OVER (PARTITION BY range % 3 ORDER BY hash(range)) FROM range(500000000) LIMIT 5
SELECT quantile_cont(hash(range), 0.5) FROM range(1000000000)
SELECT mode(range // 2) FROM range(1000000000)
SELECT approx_top_k(md5(range::VARCHAR), 100000) FROM range(500000000)
SELECT histogram(range) FROM range(200000000)
SELECT unnest(generate_series(1, 1000000000)) AS n ORDER BY n DESC LIMIT 3
SELECT a.range, b.range, c.range FROM range(3000) a, range(3000) b, range(3000) c ORDER BY ALL DESC LIMIT 1
SELECT map_from_entries(list_zip(range(50000000), range(50000000)))
