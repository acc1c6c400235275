package queue_test

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/queue"
)

// The caller brings the clock. In this example the clock jumps to the time of the next
// due key.
func Example() {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	q := queue.New(queue.Config[string]{BaseDelay: time.Second, MaxDelay: time.Minute})
	q.Add("leaf-1", queue.Low)
	q.Add("leaf-2", queue.Low)
	q.Add("owner", queue.High)
	q.Add("leaf-1", queue.Low) // the key waits already

	for q.Len() > 0 {
		key, ok := q.Next(now)
		if !ok {
			now, _ = q.Due()
			continue
		}
		if key == "leaf-1" && q.Attempts(key) < 2 {
			q.Retry(key, queue.Low, now)
			fmt.Println(key, "fails, attempt", q.Attempts(key))
		} else {
			q.Forget(key)
			fmt.Println(key, "succeeds")
		}
		q.Done(key)
	}
	// Output:
	// owner succeeds
	// leaf-1 fails, attempt 1
	// leaf-2 succeeds
	// leaf-1 fails, attempt 2
	// leaf-1 succeeds
}

// Entries lists the state of the queue, in the order of the next keys.
func ExampleQueue_Entries() {
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	q := queue.New(queue.Config[string]{})
	q.Add("taken", queue.Normal)
	q.Next(start)
	q.AddAt("later", queue.High, start.Add(time.Hour))
	q.Add("bulk", queue.Low)
	q.Add("urgent", queue.High)
	for e := range q.Entries() {
		fmt.Println(e.Key, e.State, e.Priority)
	}
	// Output:
	// urgent ready high
	// bulk ready low
	// later delayed high
	// taken in-flight unset
}
