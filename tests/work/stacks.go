// stacks MS: for MS milliseconds burn() runs below a recursion, in goroutines, and below what the runtime calls. Prints the stacks
// of that, as stacks.c does.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"time"
)

var sink, count int
var kept [][]byte

//go:noinline
func burn() {
	for i := 0; i < 300000; i++ {
		sink += i
	}
}

//go:noinline
func recurses(depth int) {
	if depth > 0 {
		recurses(depth - 1)
	} else {
		burn()
	}
	count++
}

//go:noinline
func goes(end time.Time, done chan bool) {
	for time.Now().Before(end) {
		burn()
	}
	done <- true
}

// A goroutine's stack begins small and is moved when it grows.
//
//go:noinline
func grows(depth int) int {
	var room [200]int
	if depth > 0 {
		room[depth%200] = grows(depth - 1)
	} else {
		burn()
	}
	return room[depth%200] + 1
}

//go:noinline
func allocates() {
	for i := 0; i < 1000; i++ {
		kept = append(kept, make([]byte, 1000))
	}
	kept = nil
}

type backwards []int

func (b *backwards) Len() int      { return len(*b) }
func (b *backwards) Swap(i, j int) { (*b)[i], (*b)[j] = (*b)[j], (*b)[i] }

//go:noinline
func (b *backwards) Less(i, j int) bool {
	burn()
	return (*b)[i] > (*b)[j]
}

//go:noinline
func sorts() {
	sort.Sort(&backwards{1, 2, 3})
	count++
}

func main() {
	ms := 100
	if len(os.Args) > 1 {
		ms, _ = strconv.Atoi(os.Args[1])
	}
	part := time.Duration(ms) * time.Millisecond / 5
	fmt.Println("main.burn main.recurses main.recurses main.recurses main.recurses main.main")
	fmt.Println("main.burn main.goes")
	fmt.Println("main.burn main.grows main.grows main.grows main.grows main.grows main.grows")
	fmt.Println("main.allocates main.main")
	fmt.Println("main.burn main.(*backwards).Less main.sorts main.main")
	runtime.GOMAXPROCS(2)
	for end := time.Now().Add(part); time.Now().Before(end); {
		recurses(3)
	}
	done := make(chan bool)
	go goes(time.Now().Add(part), done)
	<-done
	for end := time.Now().Add(part); time.Now().Before(end); {
		go func() { grows(5); done <- true }()
		<-done
	}
	for end := time.Now().Add(part); time.Now().Before(end); {
		allocates()
	}
	for end := time.Now().Add(part); time.Now().Before(end); {
		sorts()
	}
}
