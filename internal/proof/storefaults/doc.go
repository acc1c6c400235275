// Command storefaults runs users and collectors on the real databases of the adapters, and
// breaks things meanwhile. A judge reads the database at the end. The README has the
// commands, the faults and the rules of the judge.
package main
