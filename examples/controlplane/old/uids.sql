ALTER TABLE teams ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
ALTER TABLE projects ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
ALTER TABLE databases ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
ALTER TABLE backups ADD COLUMN uid text REFERENCES og_objects (uid) ON DELETE CASCADE;
CREATE INDEX teams_uid ON teams (uid);
CREATE INDEX projects_uid ON projects (uid);
CREATE INDEX databases_uid ON databases (uid);
CREATE INDEX backups_uid ON backups (uid);
