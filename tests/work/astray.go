// astray: much of its time is in code that unwind tables lead away from: duffcopy, whose frame pointer is below the stack pointer,
// and what the runtime does on another stack (systemstack), collecting garbage.
package main

type big struct{ words [20]int }

type node struct {
	next *node
	room [30]int
}

var from, to big
var list *node

//go:noinline
func copies() { to = from }

//go:noinline
func allocates(n int) {
	for i := 0; i < n; i++ {
		list = &node{next: list}
	}
}

func main() {
	for i := 0; i < 6; i++ {
		list = nil
		allocates(30000)
		for j := 0; j < 5000000; j++ {
			copies()
		}
	}
}
