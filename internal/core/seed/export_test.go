package seed

import "github.com/ownergraph/ownergraph/graph"

// Scan returns the next node of a scan, and whether the scan looks for everything that is due.
func (c *Copy) Scan() (next graph.NodeID, due bool) { return c.scan, c.phase == copyDue }

// Added returns the number of targets that the copy has added.
func (c *Copy) Added() int { return c.next }
