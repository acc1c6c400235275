// Package spell has the names of objects as people type and read them in a command:
// KIND[.GROUP]/[SCOPE/]NAME, such as "deployment/shop/cart". A kind may be typed in lower
// case, or as a plural. [Find] returns the object that a typed name stands for.
//
// The notation of package graph is another one. It is exact, and names the UID, too.
package spell
