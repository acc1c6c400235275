// Package web serves pages about an ownergraph.Collector: its state, a search, the explanation
// and the plan of each object, deletions under way, and the vocabulary of reasons.
//
//	pages, err := web.New(collector, web.Config{})
//	...
//	mux.Handle("/ownergraph/", pages)
//
// The pages only read. They ask the collector alone, so they make no request of the store, apart
// from the page of the archive. They have no payloads. Every link is relative, so the handler works
// below any prefix. Styles and scripts are in the binary. All pages work without scripts. With
// scripts, a page that a browser shows updates itself, and names the time of the last update.
//
// # Pages
//
// Each page is HTML, or JSON for a request that prefers application/json. The forms in JSON name
// their schema, and later versions of this module may add fields.
//
//	./                the objects by state, the rates, the held objects by reason, the deletions, the kinds, the group
//	deletions?from=   the deletions under way, the largest first, 50 on a page
//	held?reason=      the held objects, of all reasons or of one, 100 on a page
//	search?kind=&scope=&name=    the objects by key, 50 on a page
//	object?key=&open=&from=      one object: its picture, explanation, owners and dependents
//	plan?key=&propagation=&from= the forecast of a deletion, as package plan writes it in JSON
//	cascade?key=      the progress of a deletion
//	events?key=       the same as a stream of server-sent events; without a key an event after a change
//	archive?kind=&scope=&name=&explicit=   with Config.Archive: the entries of ended objects, the newest first, 50 on a page
//	reasons           each reason and doubt with its meaning, cause and remedy
//	tree.svg?key=     the tree of an object
//	plan.svg?key=&propagation=   the picture of a plan
//
// A key has the form of graph.Key.String or of PlaceString. The parameter uid, alone, names an
// object by its UID.
//
// # Groups
//
// The collector may be a member of a group (package group). With Config.Group the first page has the
// members with their shares, the time of their last renewals, and the slots without a working
// member. The page of an object names the member that works on it.
//
// # Archive
//
// With Config.Archive one more page lists the entries of a store with an archive, and the menu has a link
// to it. Filters must fit exactly. An entry has no link, since its object has ended, and a restored object has one.
// The page takes two requests of the store. It does not update itself.
//
// # Authentication
//
// The handler answers every request that reaches it. The names of objects may be secret, so the
// host program signs the readers in: see the example. A proxy that signs users in is another
// way. Listen on a loopback address behind it.
//
// # Hostile input
//
// Text from objects is escaped. Characters that turn the direction of writing show as escapes, and
// long text loses its middle. A key in JSON does the same with text above 1,024 bytes, and then has
// "cut". An explanation or a plan with names of many megabytes has no JSON.
//
// A Content-Security-Policy forbids everything but the handler's own files. The handler refuses other
// methods than GET and HEAD. It refuses a Host header with a foreign name, since such a name may be
// that of an attack by DNS rebinding: see Config.Hosts.
//
// # Bounds
//
// Lists have pages, pictures have a bounded number of objects, and streams have a bounded number
// of readers. At most four answers are made at one time, each within Config.Timeout. A search
// looks at each object once, so a page of a million objects takes about 0.1 s of one CPU.
//
// An answer counts deletions for half a second. Beyond that, the other deletions of the page have
// least numbers. Each page that a browser shows has a stream, and loads itself again at most every 2 s.
//
// Config.MaxPlan bounds the objects of a plan. Beyond it the page has the number of the objects alone,
// in JSON with the schema ownergraph/plan-sum/v1. A sweep can bring in more of them: the members of a
// holder are not around it. Config.Timeout bounds the time of such a plan.
package web
