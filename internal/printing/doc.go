// Package printing writes the results of a command in the format that the user chose: text,
// JSON, or a picture. Commands share it.
package printing
