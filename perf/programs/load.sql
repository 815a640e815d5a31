-- SPDX-License-Identifier: GPL-2.0-or-later
-- Loads 12,000 rows one by one, indexes them and joins them.
CREATE TABLE cookies (id INTEGER PRIMARY KEY, host TEXT, name TEXT, value TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
  INSERT INTO cookies SELECT i, printf('host%d.example', i % 997), printf('name-%d', i % 31),
                             hex(zeroblob(i % 60)) FROM n;
CREATE INDEX by_host ON cookies (host, name);
CREATE INDEX by_value ON cookies (value);
SELECT count(*), sum(length(a.value)) FROM cookies a JOIN cookies b ON a.host = b.host AND b.id = a.id + 997;
DELETE FROM cookies WHERE id % 3 = 0;
SELECT count(*) FROM cookies;
