"""The frictional impact law of F. Aghili (Multibody Syst Dyn 48:193-209, 2020; numbers
in brackets are its equations), with 80 digits and from the definitions.

A problem is a Delassus matrix W = A M^-1 A^T (normal first, then one or two
tangents), a contact velocity v = (v_n, v_t), restitution E = diag(e, e_t, e_t)
and friction mu_s >= mu_d. Its inputs are f64 numbers and are taken exactly as
they are; everything else is computed with 80 digits, from the definitions:

separating  v_n >= 0: no impulse.
stick       v+ = -E v [9], hence i = -G (I + E) v with G = W^-1 [11]; it holds if
            i_n > 0 and |i_t| <= mu_s i_n. sigma = mu_s^2 i_n^2 - |i_t|^2 and
            mu_cr = |i_t| / i_n use this impulse; the values printed in [22], [23]
            use xi = G v and are given separately.
slip        i_t = -mu_d u i_n, v_n+ = -e v_n, i_n > 0, and u the direction of the
            average tangential velocity (v_t + v_t+)/2 [15]-[18]. The law is
            implicit in u. In the plane both signs are tried. In space
            D (v_t + v_t+)/2 with D = W_nn - mu_d w.u is linear in u, so "parallel
            to u" is a trigonometric polynomial of degree two on the circle. With
            u = +-(1 - t^2, 2t) / (1 + t^2), -1 < t <= 1, it becomes two quartics
            with rational coefficients. Between the zeros of its derivative, found
            in the same way, a quartic is monotone, so bisection in integers finds
            all its zeros to 280 bits, and u is a unit vector by construction.
            Zeros with D <= 0 or an average velocity along -u are dropped.
reversal    (v_t + v_t+)/2 = 0 with |i_t| <= mu_d i_n: i = -G ((1+e) v_n, 2 v_t).

The order is separating, stick, then of all slip and reversal answers the one
that dissipates most. Limits: mu* = W_nn / |w| [38]; e* of this state is the larger
root of v^T (G - E G E) v = 0 [30]; e* of the configuration the larger e at which
G - E G E becomes singular [32]. A stick with e above the e* of the state creates
energy and is not admissible. `limit` is then the remedy of a smaller restitution:
stick at e*, if e* >= 0 and that stick is in the cone; otherwise the sliding answer
at the lower end e_a of the e for which stick is in the cone (0 at the least).

Every answer is checked as it is made (`outcome`): momentum [7], restitution, cone,
energy K+ - K- = average velocity . impulse [26], [34], the closed forms [28], [36];
every problem for an odd number of sliding answers. Residuals are below 1e-60.
"""

from decimal import Decimal as Dec, getcontext
from fractions import Fraction
from math import lcm

DIGITS = 80
getcontext().prec = DIGITS
TINY = Dec("1e-60")     # relative residual allowed to an identity; less is zero
BITS = 280              # binary digits of t = tan(half angle): 5e-85


# ---------------------------------------------------------------- vectors

def dot(x, y):
    """Scalar product."""
    return sum((a * b for a, b in zip(x, y)), Dec(0))


def norm(x):
    """Euclidean length."""
    return dot(x, x).sqrt()


def product(A, x):
    """Matrix times vector."""
    return [dot(row, x) for row in A]


def size(A, x):
    """Like `product`, with absolute values: the scale of its rounding."""
    return [dot([abs(a) for a in row], [abs(b) for b in x]) for row in A]


def inverse(W):
    """Inverse of a positive definite matrix by Gauss-Jordan; None if it is not one."""
    d = len(W)
    rows = [list(row) + [Dec(int(i == j)) for j in range(d)] for i, row in enumerate(W)]
    for k in range(d):
        pivot = rows[k][k]
        if pivot <= 0:
            return None
        rows[k] = [x / pivot for x in rows[k]]
        for i in range(d):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[d:] for row in rows]


def larger_root(a, b, c):
    """Larger root of a x^2 + 2 b x + c with a > 0, which must be real."""
    disc = b * b - a * c
    assert disc >= -TINY * (b * b + abs(a * c)), "no real root"
    return (-b + max(disc, Dec(0)).sqrt()) / a


# ---------------------------------------------------------------- zeros on the circle

def sign_at(p, m):
    """Sign of the integer polynomial p (low degree first) at m / 2^BITS, exactly."""
    value = 0
    for j, x in enumerate(reversed(p)):
        value = value * m + (x << (BITS * j))
    return (value > 0) - (value < 0)


def zeros(p):
    """Zeros of p in (-1, 1], times 2^BITS: p is monotone between the zeros of p'."""
    while p and p[-1] == 0:
        p = p[:-1]
    if len(p) < 2:
        return []
    one, found = 1 << BITS, []
    cuts = [-one, *zeros([j * x for j, x in enumerate(p)][1:]), one]
    for lo, hi in zip(cuts, cuts[1:]):
        side = sign_at(p, hi)
        if side and sign_at(p, lo) != -side:
            continue
        while side and hi - lo > 1:
            mid = (lo + hi) // 2
            s = sign_at(p, mid)
            lo, hi, side = (mid, hi, side) if s == -side else (lo, mid, s)
        found.append(hi)
    return found


def circle_zeros(c0, c1, s1, c2, s2):
    """Unit vectors at which c0 + c1 cos + s1 sin + c2 cos 2 + s2 sin 2 vanishes.

    None if it vanishes everywhere, which no slip direction survives.
    """
    found = []
    for half in (1, -1):
        quartic = [c0 + half * c1 + c2, 2 * half * s1 + 4 * s2, 2 * c0 - 6 * c2,
                   2 * half * s1 - 4 * s2, c0 - half * c1 + c2]
        scale = lcm(*(x.denominator for x in quartic))
        for m in zeros([int(x * scale) for x in quartic]):
            t = Dec(m) / Dec(1 << BITS)
            found.append([half * (1 - t * t) / (1 + t * t), half * 2 * t / (1 + t * t)])
    return found


# ---------------------------------------------------------------- the law

class Problem:
    """One impact: the given floats, and the same numbers in Decimal with G = W^-1."""

    def __init__(self, W, v, e, et, mu_s, mu_d):
        self.given = {
            "delassus": [list(row) for row in W], "contact_velocity": list(v),
            "restitution": {"normal": e, "tangential": et},
            "friction": {"static": mu_s, "dynamic": mu_d}}
        self.W = [[Dec(x) for x in row] for row in W]
        self.v = [Dec(x) for x in v]
        self.e, self.et, self.mu_s, self.mu_d = Dec(e), Dec(et), Dec(mu_s), Dec(mu_d)
        self.G = inverse(self.W)
        assert self.G is not None and W == [list(c) for c in zip(*W)]
        assert 0 <= e <= 1 and -1 <= et <= 1 and 0 <= mu_d <= mu_s
        self.d, self.w = len(v), self.W[0][1:]
        self.condition = max(self.W[j][j] * self.G[j][j] for j in range(self.d))


class Decisions(dict):
    """Signs of the quantities that decide, and the smallest relative distance of each."""

    def sign(self, name, x, scale):
        """Sign of x, zero within rounding of its scale."""
        distance = abs(x) / scale if scale else Dec(0)
        self[name] = min(distance, self.get(name, distance))
        return 0 if distance < TINY else (1 if x > 0 else -1)

    def in_cone(self, name, p, impulse, mu, loads):
        """i_n > 0 and |i_t| <= mu i_n, for the impulse -G loads."""
        if self.sign(name, impulse[0], size(p.G, loads)[0]) <= 0:
            return False
        tangential, bound = norm(impulse[1:]), mu * impulse[0]
        return self.sign(name, bound - tangential, bound + tangential) >= 0


def loads_of(p, mode, e):
    """v - v+ of a stick [9] or a reversal; the impulse is -G times this."""
    tangential = 1 + p.et if mode == "stick" else 2
    return [(1 + e) * p.v[0]] + [tangential * x for x in p.v[1:]]


def pushed_impulse(p, mode, e):
    """Impulse of a stick [11] or a reversal, in the cone or not."""
    return [-x for x in product(p.G, loads_of(p, mode, e))]


def outcome(p, e, mode, impulse, u=None):
    """An answer with its velocities and energy, after checking everything it claims."""
    pushed = [x + y for x, y in zip(p.v, product(p.W, impulse))]                # [7]
    tangent = {"stick": [-p.et * x for x in p.v[1:]], "slip": pushed[1:],
               "reversal": [-x for x in p.v[1:]]}[mode]
    after = [-e * p.v[0]] + tangent
    for x, y, z, s in zip(pushed, after, p.v, size(p.W, impulse)):
        assert abs(x - y) <= TINY * (abs(z) + s), "momentum or restitution"
    mean = [(x + y) / 2 for x, y in zip(p.v, after)]
    normal, tangential = mean[0] * impulse[0], dot(mean[1:], impulse[1:])       # [26]
    scale = dot(size(p.G, p.v), map(abs, p.v)) + dot(size(p.G, after), map(abs, after))
    change = normal + tangential
    balance = (dot(after, product(p.G, after)) - dot(p.v, product(p.G, p.v))) / 2
    assert abs(change - balance) <= TINY * scale, "energy"                      # [34]
    reach, bound = norm(impulse[1:]), (p.mu_s if mode == "stick" else p.mu_d) * impulse[0]
    assert impulse[0] > 0 and reach <= bound * (1 + TINY), "cone"
    if mode == "stick":                                                         # [28]
        bounced = [e * p.v[0]] + [p.et * x for x in p.v[1:]]
        closed = (dot(bounced, product(p.G, bounced)) - dot(p.v, product(p.G, p.v))) / 2
    elif mode == "slip":                                                        # [36], line 2
        speed = dot(mean[1:], u)
        stray = [x - speed * y for x, y in zip(mean[1:], u)]
        assert abs(dot(u, u) - 1) <= TINY and abs(reach - bound) <= TINY * bound
        assert speed > 0 and norm(stray) <= TINY * (norm(p.v[1:]) + norm(tangent)), "direction"
        g = 1 / (p.W[0][0] - p.mu_d * dot(p.w, u))
        closed = (1 + e) * g * p.v[0] * (p.mu_d * speed - (1 - e) * p.v[0] / 2)
    else:
        closed = (1 - e) * p.v[0] * impulse[0] / 2
    assert abs(change - closed) <= TINY * scale, "closed form of the energy"
    assert mode == "stick" or change <= TINY * scale, "sliding creates energy"
    if abs(change) <= TINY * scale:
        change = Dec(0)
    return {"mode": mode, "impulse": impulse, "after": after, "direction": u,
            "change": change, "normal": normal, "tangential": tangential}


def slip_polynomial(p, e):
    """u x (D average v_t) on the circle as c0 + c1 cos + s1 sin + c2 cos 2 + s2 sin 2."""
    F = Fraction
    mu, k = F(p.mu_d), -(1 + F(e)) * F(p.v[0]) / 2
    w, v = [F(x) for x in p.w], [F(x) for x in p.v[1:]]
    a = [F(p.W[0][0]) * v[i] + k * w[i] for i in (0, 1)]
    N = [[mu * (v[i] * w[j] + k * F(p.W[1 + i][1 + j])) for j in (0, 1)] for i in (0, 1)]
    even, odd = (N[1][0] + N[0][1]) / 2, (N[1][1] - N[0][0]) / 2
    return (N[0][1] - N[1][0]) / 2, a[1], -a[0], -even, -odd


def slip_trial(p, e, u, decide):
    """The slip along u if D > 0 and the average velocity points along u, else None."""
    D = p.W[0][0] - p.mu_d * dot(p.w, u)
    if decide.sign("slip", D, p.W[0][0] + p.mu_d * norm(p.w)) <= 0:
        return None
    i_n = -(1 + e) * p.v[0] / D                                                 # [18]
    impulse = [i_n] + [-p.mu_d * x * i_n for x in u]
    gain = product(p.W, impulse)[1:]
    speed = dot(p.v[1:], u) + dot(gain, u) / 2
    scale = norm(p.v[1:]) + norm(size(p.W, impulse)[1:])
    return impulse if decide.sign("slip", speed, scale) > 0 else None


def sliding_answers(p, e, decide):
    """All slips and the reversal, the most dissipative first."""
    if p.d == 2:
        directions = [[Dec(1)], [Dec(-1)]]
    else:
        cross = slip_polynomial(p, e)
        directions = circle_zeros(*cross)
        c0, c1, s1, c2, s2 = (Dec(x.numerator) / x.denominator for x in cross)
        scale = abs(c0) + abs(c1) + abs(s1) + abs(c2) + abs(s2)
        for x, y in circle_zeros(0, cross[2], -cross[1], 2 * cross[4], -2 * cross[3]):
            height = c0 + c1 * x + s1 * y + c2 * (x * x - y * y) + 2 * s2 * x * y
            if slip_trial(p, e, [x, y], Decisions()):       # zeros about to meet or to part
                decide.sign("count", height, scale)
    answers = []
    for u in directions:
        impulse = slip_trial(p, e, u, decide)
        if impulse:
            answers.append(outcome(p, e, "slip", impulse, u))
    back = pushed_impulse(p, "reversal", e)
    if decide.in_cone("reversal", p, back, p.mu_d, loads_of(p, "reversal", e)):
        answers.append(outcome(p, e, "reversal", back))
    assert len(answers) == 1 or (len(answers) == 3 and p.d == 3), "number of sliding answers"
    answers.sort(key=lambda x: x["change"])
    for one, two in zip(answers[:1], answers[1:]):
        decide.sign("choice", two["change"] - one["change"], -one["change"])
    return answers


def restitution_limits(p):
    """e* of this state [30] (None if it separates) and of the configuration [32].

    Both roots are real: with A = G_nn v_n^2 and x = v_n G_nt v_t the discriminant of the
    first is at least (A + x)^2, that of the second is (1 - e_t^2)^2 (1 - kappa).
    """
    et, v_n, v_t = p.et, p.v[0], p.v[1:]
    mixed = v_n * dot(p.G[0][1:], v_t)
    tangential = dot(v_t, product([row[1:] for row in p.G[1:]], v_t))
    state = None if v_n >= 0 else larger_root(
        p.G[0][0] * v_n * v_n, et * mixed, et * et * tangential - dot(p.v, product(p.G, p.v)))
    kappa = dot(p.w, product(inverse([row[1:] for row in p.W[1:]]), p.w)) / p.W[0][0]
    p2 = 1 - et * et                     # (1-e^2)(1-et^2) = kappa (1 - e et)^2
    leading = p2 + kappa * et * et       # zero (no equation) if kappa = 0 and et = +-1: then
    configuration = (larger_root(leading, -kappa * et, kappa - p2) if leading  # G - EGE >= 0
                     else Dec(1))                                              # up to e = 1
    if et == 0:
        assert abs(configuration ** 2 * p.W[0][0] * p.G[0][0] - 1) < TINY
    return state, configuration


def lowest_stick_restitution(p):
    """e_a: lower end, not below 0, of the e around the given one with stick in the cone."""
    start, end = pushed_impulse(p, "stick", Dec(0)), pushed_impulse(p, "stick", Dec(1))
    step = [y - x for x, y in zip(start, end)]

    def form(x, y):
        return p.mu_s ** 2 * x[0] * y[0] - dot(x[1:], y[1:])

    a, b, c = form(step, step), form(start, step), form(start, start)
    root = max(b * b - a * c, Dec(0)).sqrt()
    below = [x for x in ((-b + root) / a, (-b - root) / a) if x < p.e]
    return max(below + [Dec(0)])


def limited_answer(p, e_star, decide):
    """The remedy of a smaller restitution for a stick that creates energy, as (e', answer)."""
    if decide.sign("limit", e_star, Dec(1)) >= 0:
        impulse = pushed_impulse(p, "stick", e_star)
        if decide.in_cone("limit", p, impulse, p.mu_s, loads_of(p, "stick", e_star)):
            return e_star, outcome(p, e_star, "stick", impulse)
    e_a = lowest_stick_restitution(p)
    edge, nudge = Decisions(), Dec("1e-30")
    for e, inside in ((e_a + nudge, True), (e_a - nudge, False))[:2 if e_a else 1]:
        impulse = pushed_impulse(p, "stick", e)
        assert inside == edge.in_cone("", p, impulse, p.mu_s, loads_of(p, "stick", e)), "e_a"
    return e_a, sliding_answers(p, e_a, decide)[0]


def solution(p):
    """The law's answer to a problem, with all that `expected` reports, and its decisions."""
    decide = Decisions()
    state, configuration = restitution_limits(p)
    nothing = {"mode": "separating", "impulse": [Dec(0)] * p.d, "after": p.v, "direction": None,
               "change": Dec(0), "normal": Dec(0), "tangential": Dec(0)}
    result = {"answer": nothing, "sliding": [], "limit": None, "admissible": True,
              "state": state, "configuration": configuration, "sigma": None, "mu_cr": None,
              "mu_rev": None, "printed": (None, None),
              "mu_star": p.W[0][0] / norm(p.w) if any(p.w) else None}
    if p.v[0] >= 0:
        return result, decide
    result["sliding"] = sliding_answers(p, p.e, decide)
    stick, loads = pushed_impulse(p, "stick", p.e), loads_of(p, "stick", p.e)
    back, xi = pushed_impulse(p, "reversal", p.e), product(p.G, p.v)
    result["sigma"] = p.mu_s ** 2 * stick[0] ** 2 - norm(stick[1:]) ** 2        # [12], [13]
    result["mu_cr"] = norm(stick[1:]) / stick[0] if stick[0] > 0 else None
    result["mu_rev"] = norm(back[1:]) / back[0] if back[0] > 0 else None
    reach = norm(xi[1:])
    result["printed"] = (p.mu_s ** 2 * xi[0] ** 2 * (1 + p.e) ** 2 - reach ** 2,       # [22]
                         reach / (abs(xi[0]) * (1 + p.e)) if xi[0] else None)          # [23]
    if not decide.in_cone("stick", p, stick, p.mu_s, loads):
        result["answer"] = result["sliding"][0]
        return result, decide
    answer = result["answer"] = outcome(p, p.e, "stick", stick)
    result["admissible"] = decide.sign("admissible", p.e - state, 1 + abs(state)) <= 0
    assert result["admissible"] == (answer["change"] <= 0), "e > e* and energy disagree"
    if not result["admissible"]:
        result["limit"] = limited_answer(p, state, decide)
        e, guarded = result["limit"]
        assert 0 <= e < p.e and guarded["change"] <= 0, "the remedy creates energy"
    return result, decide
