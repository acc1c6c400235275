// Package postgres starts Debian's PostgreSQL for tests and benchmarks. The server runs as
// an unprivileged user, on a unix socket in a temporary directory, with the default settings
// of durability. Install it with: apt-get install -y postgresql
package postgres
