// Package pty opens pseudo terminals for tests of programs that show something on a terminal.
package pty
