// Package servers builds and runs the servers of tests: etcd and kine. It needs only the
// go command and the module proxy. The executables are in the cache of the user, and
// several modules share them.
//
// A server runs as a plain process on 127.0.0.1. Its files are in one folder, which Stop
// removes. It ends with Stop, with the lifetime, and, on Linux, with the process that
// started it.
package servers
