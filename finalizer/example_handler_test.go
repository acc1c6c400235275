package finalizer_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// disks is a service outside of the store. It names a disk by the UID of its object.
type disks struct {
	mu   sync.Mutex
	made map[graph.UID]string
	free int // gigabytes
}

// remove frees a disk, once. A missing disk is no error.
func (d *disks) remove(uid graph.UID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.made[uid]; !there {
		return nil
	}
	delete(d.made, uid)
	d.free += 10
	return nil
}

// An idempotent handler establishes an end state ("no disk of this UID exists"), and
// makes no relative change ("10 GB more are free"). The service does the decisive step
// atomically, so two runs at once do no more than one. The UID tells the object from a
// later one with the same name.
func ExampleHandler() {
	service := &disks{made: map[graph.UID]string{"u1": "photos", "u2": "photos, made again"}}
	var handler finalizer.Handler = func(ctx context.Context, o graph.Object) error {
		if err := ctx.Err(); err != nil {
			return err // the work is not done: the handler runs again
		}
		return service.remove(o.UID)
	}

	object, _ := graph.ParseObject("bucket/photos@u1~[example.org/disk]")
	var collectors sync.WaitGroup
	for range 2 { // each one runs the handler for the same object
		collectors.Go(func() { _ = handler(context.Background(), object) })
	}
	collectors.Wait()
	fmt.Println("a late run:", handler(context.Background(), object))
	fmt.Println(service.free, "GB are free,", service.made)
	// Output:
	// a late run: <nil>
	// 10 GB are free, map[u2:photos, made again]
}
