// Package tree draws the dependents of an object as text.
package tree
