CREATE TABLE teams (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE projects (id integer PRIMARY KEY, team integer NOT NULL REFERENCES teams (id), name text NOT NULL);
CREATE TABLE databases (id integer PRIMARY KEY, project integer NOT NULL REFERENCES projects (id), name text NOT NULL, size text NOT NULL);
CREATE TABLE backups (id integer PRIMARY KEY, source integer REFERENCES databases (id) ON DELETE SET NULL, keeper integer REFERENCES projects (id) ON DELETE SET NULL, name text NOT NULL);
INSERT INTO teams (id, name) VALUES (1, 'green'), (2, 'grey');
INSERT INTO projects (id, team, name) VALUES (1, 1, 'shop'), (2, 1, 'archive'), (3, 2, 'wiki');
INSERT INTO databases (id, project, name, size) VALUES (1, 1, 'orders', 'large'), (2, 1, 'users', 'small'), (3, 3, 'pages', 'small');
INSERT INTO backups (id, source, keeper, name) VALUES (1, 1, 2, 'monday'), (2, 2, NULL, 'tuesday');
