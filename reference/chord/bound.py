"""The bound (E) on the energy of the law chord (book/src/chord.md), in exact rational arithmetic: bound.py [COUNT] [SEED]

In the plane every step of the law is a clipping, so that rational numbers stay rational and nothing is rounded. Tries COUNT random
impacts (2000), and the one of ten million that misses the bound in double precision. Prints the least of (loss - bound)/loss, which is zero where slip keeps
its direction; ends with 1 where the bound does not hold. Shares no code with the library.
"""

import random
import sys
from fractions import Fraction as F

# The last piece of compression is 5e-5 of it. Its direction, a difference of two sums over a small size, loses digits in double precision, and the bound
# with it: 0.12680187671847537 instead of 0.12680187671840... Exactly, loss and bound are equal. W, v, mu_s, mu_d, p_r/p_c.
MISSED = (
    ((F(0.27746981959328254), F(0.10906738349522968)), (F(0.10906738349522968), F(0.0430732109815886))),
    (F(-0.17454961052355658), F(0.06850074759201054)),
    F(0.6209130814737981),
    F(0.6209130814737981),
    F(0.015414746281216828),
)


# The size of a step in which nothing changes slip.
ENDLESS = F(10) ** 30


class Contact:
    def __init__(self, w, v, mu_s, mu_d, e):
        (self.nn, self.w), (_, self.tt) = w
        self.v, self.mu_s, self.mu, self.e = v, mu_s, mu_d, e

    def pushed(self, v, i):
        return (v[0] + self.nn * i[0] + self.w * i[1], v[1] + self.w * i[0] + self.tt * i[1])

    def square(self, d):
        """d·W d of d = (1, d_t)."""
        return self.nn + 2 * self.w * d + self.tt * d * d

    def friction(self, x, h):
        """Of the implicit step."""
        if x[1] == 0 and abs(self.w) <= self.mu_s * self.tt:
            return -h * self.w / self.tt
        y = -(x[1] + h * self.w) / self.tt
        return max(-self.mu * h, min(self.mu * h, y))

    def size(self, x):
        """H, and the direction of slip."""
        u = (x[1] > 0) - (x[1] < 0)
        change = max(abs(self.w - self.mu * u * self.tt), self.mu * self.tt)
        return abs(x[1]) / change if change else ENDLESS, u

    def explicit(self, x, q, u):
        i = (q, -self.mu * q * u)
        return self.pushed(x, i), i

    def implicit(self, x, h):
        i = (h, self.friction(x, h))
        return self.pushed(x, i), i

    def step(self, x, q, h):
        """q along the slip, then an implicit step of h: velocities and impulses of both pieces."""
        u = self.size(x)[1]
        between, first = self.explicit(x, q, u)
        end, second = self.implicit(between, h)
        return end, first, second

    def closing(self, x, share, fixed, low, high):
        """The least p in [low, high] for which a step with the explicit part share p + fixed ends with v_n = 0."""
        u = self.size(x)[1]
        found = []
        # v_n is linear in p for each of the three frictions: y = -mu h, y = mu h, or a stop.
        for kind in (-1, 1, 0):
            at = []
            for p in (F(0), F(1)):
                q = share * p + fixed
                (v_n, v_t), _ = self.explicit(x, q, u)
                h = p - q
                if kind:
                    y = kind * self.mu * h
                elif x[1] == 0 and abs(self.w) <= self.mu_s * self.tt:
                    y = -h * self.w / self.tt
                else:
                    y = -(v_t + h * self.w) / self.tt
                at.append(v_n + self.nn * h + self.w * y)
            if at[1] != at[0]:
                p = -at[0] / (at[1] - at[0])
                if low < p and (high is None or p <= high):
                    q = share * p + fixed
                    if self.step(x, q, p - q)[0][0] == 0:
                        found.append(p)
        return min(found, default=None)

    def compression(self):
        """Velocity at the end, impulse, and the last implicit piece."""
        x, total = self.v, (F(0), F(0))
        size, u = self.size(x)
        if u:
            p = self.closing(x, F(1, 2), F(0), F(0), size)
            if p is not None:
                end, first, second = self.step(x, p / 2, p / 2)
                return end, added(total, first, second), second
            x, first, second = self.step(x, size / 2, size / 2)
            total = added(total, first, second)
        size, u = self.size(x)
        if not u:
            p = self.closing(x, F(0), F(0), F(0), None)
            end, first, second = self.step(x, F(0), p)
            return end, added(total, first, second), second
        p = self.closing(x, F(1, 2), F(0), F(0), 2 * size)
        q = None if p is None else p / 2
        if p is None:
            p, q = self.closing(x, F(0), size, 2 * size, None), size
        end, first, second = self.step(x, q, p - q)
        return end, added(total, first, second), second

    def restitution(self, x, p):
        """The impulse of restitution, if it needs not be lengthened."""
        total = (F(0), F(0))
        size, u = self.size(x)
        if u:
            h = min(size, p)
            x, first, second = self.step(x, h / 2, h / 2)
            total, p = added(total, first, second), p - h
        if p > 0:
            size, u = self.size(x)
            q = min(p / 2, size) if u else F(0)
            x, first, second = self.step(x, q, p - q)
            total = added(total, first, second)
        return (x, total) if x[0] >= 0 else (x, None)

    def judge(self):
        """Loss and bound; None where restitution is lengthened."""
        x, i_c, last = self.compression()
        p_c = i_c[0]
        p_r = self.e * p_c
        _, i_r = self.restitution(x, p_r)
        if i_r is None:
            return None
        i = added(i_c, i_r, (F(0), F(0)))
        after = self.pushed(self.v, i)
        lost = -sum(i[k] * (self.v[k] + after[k]) for k in (0, 1)) / 2
        square = self.square(last[1] / last[0])
        bound = (p_c + p_r) * self.mu * abs(x[1]) + (p_c**2 - p_r**2) * square / 2
        return lost, bound


def added(*impulses):
    return tuple(sum(i[k] for i in impulses) for k in (0, 1))


def drawn(rng):
    """Numbers of few digits, so that the fractions stay short."""
    number = lambda low, high: F(round(1000 * rng.uniform(low, high)), 1000)
    b = [[number(-1, 1) for _ in range(3)] for _ in range(2)]
    product = lambda i, j: sum(b[i][k] * b[j][k] for k in range(3))
    w = ((product(0, 0), product(0, 1)), (product(1, 0), product(1, 1)))
    if not w[0][0] or not w[1][1] or w[0][0] * w[1][1] == w[0][1] ** 2:
        return drawn(rng)
    mu = number(0, 1.5) if rng.random() < 0.75 else F(round(10 ** rng.uniform(0, 6)), 1000)
    mu_s = mu * (1 + number(0, 1)) if rng.random() < 0.5 else mu
    e = F(1) if rng.random() < 0.125 else number(0, 1)
    v = (-number(0.01, 1), number(-3, 3))
    return Contact(w, v, mu_s, mu, e)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 20200617)
    least, lengthened, missed = None, 0, 0
    for contact in [Contact(*MISSED)] + [drawn(rng) for _ in range(count)]:
        judged = contact.judge()
        if judged is None:
            lengthened += 1
            continue
        lost, bound = judged
        slack = (lost - bound) / lost if lost else F(0)
        least = slack if least is None else min(least, slack)
        missed += lost < bound or bound < 0
    print(f"{count + 1} impacts, {lengthened} lengthened: least (loss - bound)/loss {float(least):.3e}, {missed} below")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
