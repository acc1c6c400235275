// Command storespeed measures the stores of adapters/sql and adapters/etcd on real
// databases. Beside each store it runs a bare loop that writes the same tables or keys
// without an engine. See README.md.
package main
