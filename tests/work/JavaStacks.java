/*
 * JavaStacks MS LIBRARY [sleeps]: works, or sleeps, at the end of several kinds of stacks for so long, in two threads, and prints
 * them: "CLASS.METHOD", the innermost first, with ";". LIBRARY has back(), which calls work() by JNI.
 */
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
public class JavaStacks {
	static final Set<String> seen = Collections.synchronizedSet(new HashSet<>());
	static void note() {
		String s = StackWalker.getInstance(Set.of(StackWalker.Option.SHOW_HIDDEN_FRAMES)).walk(
			frames -> frames.skip(1).map(f -> f.getClassName() + "." + f.getMethodName()).collect(Collectors.joining(";")));
		if (seen.add(s))
			System.out.println(s);
	}

	static long spin(long n) { long x = 0; for (long i = 0; i < n; i++) { x += i * i; x ^= x >> 3; } return x; }
	static boolean noting, sleeps;
	static long nap() {
		try {
			Thread.sleep(1);
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
		return 1;
	}
	static long work() { if (noting) note(); return sleeps ? nap() : spin(30000); }
	static long recurse(int d) { return d == 0 ? work() : recurse(d - 1) + 1; }
	static long small(int d) { return tiny(d) + 1; }
	static long tiny(int d) { return work() + d; }
	static long lambda(Supplier<Long> s) { return s.get(); }
	static long each() { return IntStream.range(0, 1).mapToLong(i -> work()).sum(); }
	static long sorted() {
		Integer[] a = { 2, 1 };
		long[] x = { 0 };
		Arrays.sort(a, (p, q) -> { x[0] += work(); return p - q; });
		return x[0];
	}
	static long reflected() {
		try {
			return (Long)JavaStacks.class.getDeclaredMethod("work").invoke(null);
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}
	static native long back(int d);
	static long all() {
		return recurse(20) + small(1) + lambda(() -> work()) + each() + sorted() + reflected() + back(1);
	}
	public static void main(String[] a) throws Exception {
		long end = System.currentTimeMillis() + Long.parseLong(a[0]);
		System.load(a[1]);
		sleeps = a.length > 2;
		Runnable r = () -> {
			long x = 0;
			for (long i = 0; System.currentTimeMillis() < end; i++) {
				noting = i < 50 || i % 50 == 0;
				x += all();
			}
			if (x == 1)
				System.out.println(x);
		};
		Thread t = new Thread(r, "other");
		t.start();
		r.run();
		t.join();
	}
}
