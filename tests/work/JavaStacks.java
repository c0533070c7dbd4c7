/*
 * JavaStacks MS LIBRARY [sleeps | deoptimizes]: works, or sleeps, at the end of several kinds of stacks for so long, in two threads, and prints
 * them: "CLASS.METHOD", the innermost first, with ";". LIBRARY has back(), which calls work() by JNI. "deoptimizes": the compiled
 * methods of Held become invalid while they wait for it.
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

	/* Calls what alone is loaded of the kind, so that the compilers take it for the only one. */
	public static abstract class Base { abstract long value(); }
	public static class First extends Base { long value() { return 1; } }
	public static class Second extends Base { long value() { return 2; } }
	public static class Held implements ToLongFunction<LongSupplier> {
		final Base base = new First();
		public long applyAsLong(LongSupplier s) { return around(s) + base.value(); }
		long around(LongSupplier s) { return s.getAsLong() + base.value(); }
	}
	/* Has classes of its own of these names. */
	static class Own extends ClassLoader {
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith("JavaStacks$"))
				return super.loadClass(name, resolve);
			Class<?> known = findLoadedClass(name);
			if (known != null)
				return known;
			try (var in = JavaStacks.class.getResourceAsStream(name + ".class")) {
				byte[] b = in.readAllBytes();
				return defineClass(name, b, 0, b.length);
			} catch (java.io.IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}
	static long work_on(Own own) {
		try {
			own.loadClass("JavaStacks$Second").getDeclaredConstructor().newInstance();
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
		long x = 0;
		for (int i = 0; i < 2000; i++) {
			x += work();
			noting = false;
		}
		return x;
	}
	@SuppressWarnings("unchecked")
	static long deoptimized() {
		try {
			Own own = new Own();
			var held = (ToLongFunction<LongSupplier>)own.loadClass("JavaStacks$Held").getDeclaredConstructor().newInstance();
			LongSupplier[] small = { () -> 1, () -> 2, () -> 3 };
			long x = 0;
			for (int i = 0; i < 30000; i++)
				x += held.applyAsLong(small[i % 3]);
			return x + held.applyAsLong(() -> work_on(own));
		} catch (ReflectiveOperationException e) {
			throw new RuntimeException(e);
		}
	}
	static boolean deoptimizes;
	static long all() {
		if (deoptimizes)
			return deoptimized();
		return recurse(20) + small(1) + lambda(() -> work()) + each() + sorted() + reflected() + back(1);
	}
	public static void main(String[] a) throws Exception {
		long end = System.currentTimeMillis() + Long.parseLong(a[0]);
		System.load(a[1]);
		sleeps = a.length > 2 && a[2].equals("sleeps");
		deoptimizes = a.length > 2 && a[2].equals("deoptimizes");
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
