// Package released tests a release as its users take it: from a module proxy, in modules outside of
// the repository. It has tests alone.
package released
