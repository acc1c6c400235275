CREATE TABLE IF NOT EXISTS specs (uid TEXT PRIMARY KEY REFERENCES og_objects (uid) ON DELETE CASCADE, spec TEXT NOT NULL);
INSERT INTO specs (uid, spec) SELECT uid, '{"size":"' || size || '"}' FROM databases d WHERE uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM specs s WHERE s.uid = d.uid);
INSERT INTO specs (uid, spec) SELECT uid, '' FROM teams t WHERE uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM specs s WHERE s.uid = t.uid);
INSERT INTO specs (uid, spec) SELECT uid, '' FROM projects p WHERE uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM specs s WHERE s.uid = p.uid);
INSERT INTO specs (uid, spec) SELECT uid, '' FROM backups b WHERE uid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM specs s WHERE s.uid = b.uid);
