// Package view draws pictures of ownership: of objects, of a plan, and of an explanation.
// Each [Picture] has four forms: text for a terminal, DOT for Graphviz, Mermaid for
// Markdown, and SVG for web pages and documents.
//
//	objects  --Tree, All---+
//	plan     --Plan--------+--> Picture --Text, DOT, Mermaid, SVG--> text
//	explain  --Explanation-+
//
// The package is pure. It reads no store, and equal input gives equal text. The order of
// the objects does not matter.
//
// # Reading a picture
//
// Ownership points down: each owner stands above its dependents. An edge that closes a ring
// leads up, and is marked. A node has its kind, its scope and name, its class, and the
// reason. The class shows by shape, by colour and by word:
//
//	class      the node                                         SVG                 DOT
//	live       an object that is not being deleted              round corners       rounded box
//	marked     it is being deleted                              dashed rectangle    dashed box
//	waiting    it is being deleted, and waits for dependents    hexagon             hexagon
//	orphaning  it is being deleted, and leaves its dependents   parallelogram       parallelogram
//	absent     an owner that is proven absent                   dotted rectangle    dotted box
//	unknown    an owner that is not among the objects           dotted oval         dotted ellipse
//	going      a plan removes it, in its wave                   folded corner       note
//	kept       a plan leaves it, with the rule or the owners    two round borders   two borders
//	held       it stays against its mark or its owners          octagon             octagon
//	protected  a guard protects it                              two octagons        double octagon
//	actor      an explanation ends there: the next actor        arrow               arrow
//
// The line of a controller is thick. A line with a square end is that of a blocking
// reference: the foreground deletion of the owner waits for that dependent. A dashed line is
// a reference with a flaw, and the dependent names the flaw. A dotted line says that the
// upper node waits for the lower one.
//
// A reference with a policy has its word at the line, and a line of its own. A legend explains the
// words. Several references to one owner may have several policies, and then all words show.
//
//	policy    SVG               DOT
//	cascade   two lines         two lines
//	release   long dashes       a circle at the owner
//	restrict  a line with bars  a bar at the owner
//
// The members of a container stand below it in [TreeWithMembers] and in a plan: its end takes them
// along. A line of dots and dashes leads to a member, and the container names the actor.
//
// A list of objects proves no absence, since a kind may be missing. So an owner that no
// object is, is unknown.
//
// In SVG, each box of a plan names its wave. DOT and Mermaid frame each wave, and those without a step.
//
// A page of HTML draws a picture with [Picture.Page], whose boxes are links, and with the style sheet
// of [Style]. [Picture.Grouped] makes one box of many dependents of one kind.
//
// # Bounds
//
// A picture has at most as many nodes as its limit, and four edges for each. It takes the
// nodes nearest to the subject, at most 40 of one kind below one owner. A reference leads
// to at most 5 objects that share its UID. Of the siblings in a plan, it takes those that
// stay before those that go. Each node counts its neighbours that are left out, and the
// last lines count all of them. The text has at most 32 levels. More than 10 dependents that are
// alike share a line of the text, unless the caller gives a limit. The drawing leaves out the
// longest lines of very dense pictures, and counts them.
//
// Any input is safe: rings, references to nothing, equal UIDs, 100,000 objects. Names may
// have any bytes. A control character, a mark that turns the direction of writing, and a
// backslash show as the escapes of Go. A name of more than 512 bytes loses its middle, and
// so does a name that is too wide for its box. The SVG has no scripts and no identifiers, so a page may
// show several.
package view
