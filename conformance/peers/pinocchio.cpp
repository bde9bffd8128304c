// Times Pinocchio's two ways through one sticking impact at a point: from (q, v-) to (v+, impulse).
//
// usage: pinocchio LIST, where LIST has one robot a line: name "urdf path" floating(0|1) frame
// Prints one line of JSON per robot; see build.sh for the two ways it is compiled.

#define PINOCCHIO_DISABLE_UNSUPPORTED_WARNINGS // impulseDynamics' API is marked as likely to change
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double RESTITUTION = 0.5;
constexpr int STATES = 64;
constexpr int BATCHES = 200;
constexpr double BATCH_NS = 2e6;
constexpr double TOLERANCE = 1e-9;

struct State
{
  VectorXd q, v;
};

/// The model with every buffer the two ways need, so that neither allocates its own while timed.
struct Robot
{
  pinocchio::Model model;
  pinocchio::Data data;
  pinocchio::FrameIndex frame;
  pinocchio::RigidConstraintModelVector contacts;
  pinocchio::RigidConstraintDataVector contact_datas;
  // With one contact the constraint is never redundant, so no regularisation: mu = 0.
  pinocchio::ProximalSettings settings{0.0, 0.0, 1};

  pinocchio::Data::Matrix6x jacobian;
  Eigen::Matrix<double, Eigen::Dynamic, 3> minv_at;
  VectorXd v_plus;
  Vector3d impulse;

  Robot(const pinocchio::Model & m, const std::string & frame_name)
  : model(m), data(model), frame(model.getFrameId(frame_name))
  , jacobian(pinocchio::Data::Matrix6x::Zero(6, model.nv)), minv_at(model.nv, 3), v_plus(model.nv)
  {
    const pinocchio::Frame & f = model.frames[frame];
    contacts.emplace_back(
      pinocchio::CONTACT_3D, model, f.parentJoint, f.placement, pinocchio::LOCAL_WORLD_ALIGNED);
    contact_datas.emplace_back(contacts.front());
    pinocchio::initConstraintDynamics(model, data, contacts, contact_datas);
  }

  /// A: the contact point's three linear rows. The columns off its branch stay zero from the start.
  auto contact_jacobian() const { return jacobian.topRows<3>(); }

  /// Assembles the impact from Pinocchio's parts, with one restitution per world axis.
  /// Not inlined (nor is the other way), so that the caller cannot drop the results it ignores.
  [[gnu::noinline]] void hand(const State & s, const Vector3d & restitution)
  {
    // Convention::WORLD also leaves the joint placements and Jacobians in data.
    // The wheel holds crba precompiled for a Ref only; a plain vector would compile it anew here.
    const Eigen::Ref<const VectorXd> q(s.q);
    pinocchio::crba(model, data, q, pinocchio::Convention::WORLD);
    // Places the frame on the way, so that a separate updateFramePlacement would be wasted.
    pinocchio::getFrameJacobian(model, data, frame, pinocchio::LOCAL_WORLD_ALIGNED, jacobian);
    const auto a = contact_jacobian();

    pinocchio::cholesky::decompose(model, data);
    minv_at = a.transpose();
    pinocchio::cholesky::solve(model, data, minv_at);

    // lazyProduct: Eigen's general product would call its blocked kernel, too heavy for 3 columns.
    const Eigen::Matrix3d w = a.lazyProduct(minv_at);
    const Vector3d u = a.lazyProduct(s.v);
    impulse = w.ldlt().solve(-u - restitution.cwiseProduct(u));
    v_plus = s.v + minv_at.lazyProduct(impulse);
  }

  /// Pinocchio's own algorithm, which can only apply one restitution to all three axes.
  [[gnu::noinline]] void impulse_dynamics(const State & s)
  {
    v_plus = pinocchio::impulseDynamics(
      model, data, s.q, s.v, contacts, contact_datas, RESTITUTION, settings);
    impulse = contact_datas.front().contact_force.linear();
  }
};

const Vector3d NORMAL_ONLY(0, 0, RESTITUTION);
const Vector3d ALL_AXES = Vector3d::Constant(RESTITUTION);

/// Random states whose contact point approaches along the normal, the world's z.
std::vector<State> random_states(Robot & robot)
{
  std::srand(1); // both Pinocchio's and Eigen's random numbers come from std::rand
  const VectorXd limit = VectorXd::Ones(robot.model.nq);
  std::vector<State> states(STATES);
  for (State & s : states)
  {
    s.q = pinocchio::randomConfiguration(robot.model, -limit, limit);
    pinocchio::normalize(robot.model, s.q);
    s.v = VectorXd::Random(robot.model.nv);
    robot.hand(s, NORMAL_ONLY);
    if ((robot.contact_jacobian() * s.v).z() > 0)
      s.v = -s.v;
  }
  return states;
}

void require_equal(const VectorXd & got, const VectorXd & expected, const char * what)
{
  // Negated, so that a NaN fails too.
  if (!((got - expected).norm() <= TOLERANCE * (1 + expected.norm())))
    throw std::runtime_error(std::string("wrong result: ") + what);
}

/// What is timed must be right: the timed laws hold, and with equal laws the two ways agree.
void check(Robot & robot, const std::vector<State> & states)
{
  for (const State & s : states)
  {
    robot.hand(s, NORMAL_ONLY);
    const auto a = robot.contact_jacobian();
    const Vector3d u = a * s.v;
    require_equal(a * robot.v_plus, -NORMAL_ONLY.cwiseProduct(u), "hand's velocity after");

    robot.hand(s, ALL_AXES);
    const VectorXd v_plus = robot.v_plus;
    const Vector3d impulse = robot.impulse;
    robot.impulse_dynamics(s);
    require_equal(a * robot.v_plus, -RESTITUTION * u, "impulseDynamics' velocity after");
    require_equal(robot.v_plus, v_plus, "impulseDynamics' v+ is not hand's");
    require_equal(robot.impulse, impulse, "impulseDynamics' impulse is not hand's");
  }
}

/// Nanoseconds per call: the least over the batches, as other load can only ever add time.
template<typename Way>
double time_ns(const Robot & robot, const std::vector<State> & states, Way way)
{
  using Clock = std::chrono::steady_clock;
  volatile double sink;
  const auto batch = [&](int rounds) {
    const auto start = Clock::now();
    for (int r = 0; r < rounds; ++r)
      for (const State & s : states)
      {
        way(s);
        sink = robot.v_plus[0] + robot.impulse[2];
      }
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    return elapsed.count() / (rounds * STATES);
  };

  batch(1); // warms the caches, for the next line's estimate
  const int rounds = std::max(1, int(BATCH_NS / (batch(1) * STATES)));
  double best = std::numeric_limits<double>::infinity();
  for (int b = 0; b < BATCHES; ++b)
    best = std::min(best, batch(rounds));
  return best;
}

void bench(
  const std::string & name, const std::string & urdf, bool floating, const std::string & frame)
{
  pinocchio::Model model;
  if (floating)
    pinocchio::urdf::buildModel(urdf, pinocchio::JointModelFreeFlyer(), model);
  else
    pinocchio::urdf::buildModel(urdf, model);
  if (!model.existFrame(frame))
    throw std::runtime_error("no frame " + frame + " in " + urdf);

  Robot robot(model, frame);
  const std::vector<State> states = random_states(robot);
  check(robot, states);
  const double hand = time_ns(robot, states, [&](const State & s) { robot.hand(s, NORMAL_ONLY); });
  const double own = time_ns(robot, states, [&](const State & s) { robot.impulse_dynamics(s); });
  std::printf(
    "{\"robot\":\"%s\",\"nv\":%d,\"hand_ns\":%.0f,\"impulse_dynamics_ns\":%.0f}\n", name.c_str(),
    model.nv, hand, own);
  std::fflush(stdout);
}

int main(int argc, char ** argv)
{
  std::ifstream list(argc == 2 ? argv[1] : "");
  if (!list)
  {
    std::fprintf(stderr, "usage: %s LIST (a readable file)\n", argv[0]);
    return 2;
  }
  std::string line;
  while (std::getline(list, line))
  {
    std::istringstream fields(line);
    std::string name, urdf, frame;
    bool floating;
    if (!(fields >> name >> std::quoted(urdf) >> floating >> frame))
    {
      std::fprintf(stderr, "bad line: %s\n", line.c_str());
      return 2;
    }
    try
    {
      bench(name, urdf, floating, frame);
    }
    catch (const std::exception & e)
    {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
      return 1;
    }
  }
}
