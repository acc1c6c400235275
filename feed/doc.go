// Package feed makes the watches of a store from a log in its database. It is for authors of
// stores: with it a store of level 2 takes about 150 lines, as examples/boltstore shows.
//
// A store without a log lists every kind again after each change, which is level 1. With a log
// its watch reports each change, and it has fences (ownergraph.Fencer) and listings on demand
// (ownergraph.Lister). The hard part is the same for every database, and a [Feed] has it: the
// listings beside the changes, their order, fences in several processes, restores, and watches
// that fall behind.
//
// # A log in your database
//
// The database keeps a [Log]: a list of entries by position. Each transaction that writes an
// object appends an [Entry] with the object's new state, or with its end. A [Log] has three
// methods: read entries, read objects of a kind, and append a fence. Embed the Feed in your
// store, and call Changed after each commit:
//
//	type Store struct {
//		*feed.Feed // Watch, Fence and List
//		db *sql.DB
//	}
//
//	s := &Store{db: db}
//	s.Feed, err = feed.New(log{db}, feed.Config{})
//
// Get, Patch and Delete are yours, by the rules of package finalizer.
//
// # Laws
//
// A Log keeps nine laws. Each of them names the laws of adapters/storetest that find a breach.
// The tests of this package break each law once, and run the kit.
//
//  1. The transaction that writes an object appends its entry. A write that changes nothing
//     appends none, and a transaction that fails appends none (watch/every-change, watch/gone,
//     commit/failed).
//  2. Positions grow in the order of the commits. As soon as a read has returned Next, no entry
//     below it appears (watch/every-change, watch/exact, search/every-write). A sequence that
//     gives numbers before the commit breaks this law. Take the number under a lock, or read
//     only below the oldest open transaction, as adapters/sql does.
//  3. An entry has the state that the write stored, with its new version. The entry of a removal
//     has the UID of the removed object (watch/exact, watch/gone).
//  4. ReadObjects returns every object of the kind, also marked ones, in the order of the places
//     (graph.Key.Compare): by scope, and then by name (watch/listing-complete,
//     watch/every-change). The bytes of scope + "/" + name have another order, because "-" and
//     "." are below "/". A page behind a place then misses objects.
//  5. A page is of one snapshot, which is not older than the call. This is also true for the
//     position of a page of objects (watch/no-gap, watch/not-back, search/not-back).
//  6. A log may drop its oldest entries. LogPage.First then shows it (watch/compaction).
//  7. The entry of a fence is behind every commit from before the call (fence/not-early,
//     fence/passes).
//  8. A restore of the database draws an epoch at random, and gives each object a version that
//     it never had. The epoch stays until the next restore (rewind/...).
//  9. Kinds are those of the moment. A kind that returns keeps its objects or drops them
//     (kinds/vanished-told).
//
// A Watch ends with an error if it sees a breach: positions or places out of order, an entry
// without a UID, or a log that goes back in the same epoch. It cannot see the others.
//
// # Processes
//
// Any number of Feeds in any number of processes may read one log. A fence is an entry of the
// log, so it passes the watches of every process behind all earlier entries. A watch sees the
// writes of its own process at once, because Changed wakes it. It sees the others after
// Config.Poll. List is for the watches of its own Feed.
//
// # Restores
//
// Store an epoch in the database, "" at first. The transaction that restores a backup replaces
// the content and the log, and sets another random epoch. Then running and later watches
// report Rewound with this epoch, and list every kind anew. A version that contains the epoch
// is one that the object never had.
//
// If a backup was put in place without that, a running watch sees it as soon as the log ends
// below a position that it had. It reports Rewound without an epoch, and ends with an error. A
// watch that begins later does not report it. So restart the collectors, or better, draw an
// epoch.
//
// # Limits
//
// A Feed reports no progress of versions and no sick kinds. A database that is out of reach
// ends the watches with its error, and the Collector begins them again.
//
// A watch has one page of events, the bounds of the pages of one listing, and at most 64
// pending fences. A listing calls ReadObjects once for each page, and once for the end.
package feed
