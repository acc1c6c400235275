package meter

// sites has the place of each loop in the source. The overlay of package steps replaces this file.
var sites [0]string
