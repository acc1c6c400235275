// Package recipes has the code of docs/recipes.md, which an application adds to a collector. Each
// Example is one recipe, over the memory store. Every store of this module takes the same code.
package recipes
