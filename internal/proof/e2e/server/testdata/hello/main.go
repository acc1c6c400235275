// Command hello does nothing.
package main

func main() {}
