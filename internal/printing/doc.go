// Package printing writes the results of a command in the format that the user chose: text,
// JSON, or a picture. It also has the exit codes. Commands share it.
package printing
