package sqlstore

import "os"

// dieNow ends this process at once. No deferred call runs, and no call ends in order.
func dieNow() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}
